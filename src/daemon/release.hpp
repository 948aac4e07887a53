// Releases everything while no agent runs: from the journals alone, so that it works whatever became of the policies.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "codec/agent_config.hpp"
#include "codec/control_report.hpp"
#include "daemon/driver.hpp"

namespace petrel::daemon {

struct Released {
    codec::OrderReport report;
    bool all{true};  // nothing is in force any more
};

// A device is not touched while a live agent holds its state: the report names that agent's pid. `by` stands in the
// history, and what was latched or ordered is forgotten, so that the next start does not put it back.
Result<Released> release_from_journals(const codec::AgentConfig&, std::span<Driver* const>, const std::string& by);

}  // namespace petrel::daemon

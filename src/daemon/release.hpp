// Releases everything while no agent runs. It uses the journals and not the policies, so it also works with wrong ones.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "control/report.hpp"
#include "daemon/driver.hpp"

namespace petrel::daemon {

struct Released {
    control::OrderReport report;
    bool all{true};  // no treatment is in force any more, except of latched NICs
};

// Does nothing to a device while a live agent holds its state: the report names that agent's pid. The history shows
// `by`. Latches and orders are removed from the checkpoint, so that the next start does not apply their treatments
// again.
Result<Released> release_from_journals(const config::AgentConfig&, std::span<Driver* const>, const std::string& by);

}  // namespace petrel::daemon

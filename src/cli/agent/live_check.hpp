// `petrel config check --live`: compares a file without problems with the devices of this machine and with the agent
// that runs there. Opens no device and changes nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "daemon/driver.hpp"

namespace petrel::cli {

struct LiveCheck {
    std::string text;  // a line for each device, and one for each item that could not be checked
    std::vector<Complaint> problems;
};

LiveCheck check_live(const config::AgentConfig&, std::span<daemon::Driver* const>);

}  // namespace petrel::cli

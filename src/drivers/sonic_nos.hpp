// SONiC around an agent, by the agent's configuration. A device that is the SONiC switch itself ("sonic:local") implies
// SONiC's configuration.
#pragma once

#include <memory>
#include <span>

#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "daemon/driver.hpp"
#include "daemon/nos.hpp"
#include "device/device.hpp"

namespace petrel::drivers {

// If the configuration has the address of SONiC's databases, its SONiC devices get this address, too.
config::AgentConfig with_one_address(config::AgentConfig);

// The NOS that the configuration names; null = the policies of the configuration apply. The clock outlives it.
Result<std::unique_ptr<daemon::Nos>> make_nos(const config::AgentConfig&, std::span<daemon::Driver* const>,
                                              const device::TimeSource&);

}  // namespace petrel::drivers

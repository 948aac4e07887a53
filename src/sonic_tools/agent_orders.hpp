// Requests of the pfcwd commands to Petrel's agent: its queues by name, and orders for them. If two devices have a port
// of the same name, an order by that name goes to both.
#pragma once

#include <string>
#include <vector>

#include "codec/control_report.hpp"
#include "sonic_tools/desk.hpp"

namespace petrel::sonic_tools {

// The lines of the agent's answer. If there is no answer, the command ends.
std::vector<std::string> request_lines(const Desk&, const codec::ControlRequest&);

std::string name_of(const codec::QueueReport&);
Result<std::vector<codec::QueueReport>> agents_queues(const Desk&);

// Sends an order for the queues that the name means, to each device that has them. An empty name is sent as it is: its
// meaning depends on the command. One result for each device.
std::vector<Result<codec::OrderReport>> order(const Desk&, codec::ControlRequest::Command, const std::string& name);

}  // namespace petrel::sonic_tools

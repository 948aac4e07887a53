// Requests of the pfcwd commands to Petrel's agent: its queues by name, and orders for them. If two devices have a port
// of the same name, an order by that name goes to both.
#pragma once

#include <string>
#include <vector>

#include "control/report.hpp"
#include "control/request.hpp"
#include "sonic_tools/desk.hpp"

namespace petrel::sonic_tools {

// The lines of the agent's answer. If there is no answer, the command ends.
std::vector<std::string> request_lines(const Desk&, const control::ControlRequest&);

std::string name_of(const control::QueueReport&);
Result<std::vector<control::QueueReport>> agents_queues(const Desk&);

// Sends an order for the queues that the name means, to each device that has them. An empty name is sent as it is: its
// meaning depends on the command. One result for each device.
std::vector<Result<control::OrderReport>> order(const Desk&, control::ControlRequest::Command, const std::string& name);

}  // namespace petrel::sonic_tools

// Petrel's agent as the commands of pfcwd see it: its queues by name, and orders about them. A port that two devices
// have by the same name is one port here, so that an order by name goes to each of them.
#pragma once

#include <string>
#include <vector>

#include "codec/control_report.hpp"
#include "sonic_tools/desk.hpp"

namespace petrel::sonic_tools {

// The lines of its answer; where it does not give one, the command ends.
std::vector<std::string> ask(const Desk&, const codec::ControlRequest&);

std::string name_of(const codec::QueueReport&);
Result<std::vector<codec::QueueReport>> agents_queues(const Desk&);

// Of the queues that the name means; an empty one: whatever the command then means. One result for each device.
std::vector<Result<codec::OrderReport>> order(const Desk&, codec::ControlRequest::Command, const std::string& name);

}  // namespace petrel::sonic_tools

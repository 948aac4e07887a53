// Converts an event of the watchdog about a port that is paused for too long to the lines that a Slingshot switch
// logs. A pure function: the caller writes the lines.
#pragma once

#include <vector>

#include "base/ids.hpp"
#include "watchdog/event.hpp"
#include "wire/pause_log.hpp"

namespace petrel::runtime {

//   event                                    messages
//   begins, found by the status              detected (by the kernel), asserted, entered_error
//   begins, found at the start               asserted, entered_error
//   ends, the status is clear                stopped, left_error
//   ends otherwise (order, link down)        left_error
// Any other event: no messages. A stop of the agent is no end: the status is still set.
std::vector<wire::PauseMessage> pause_messages(const watchdog::Event&, const PortNames& of_its_port);

// The same messages as lines of a log.
std::vector<wire::LogLine> pause_lines(const watchdog::Event&, const PortNames& of_its_port, const wire::LogOrigin&);

}  // namespace petrel::runtime

// From what a watchdog says about a port that is paused for too long to what a Slingshot switch's log says about it. A
// function of its arguments: who writes the messages, where and with which time, is decided elsewhere.
#pragma once

#include <vector>

#include "base/ids.hpp"
#include "watchdog/event.hpp"
#include "wire/pause_log.hpp"

namespace petrel::runtime {

//   event                                    messages
//   begins, found by the status              detected (by the kernel), asserted, entered_error
//   begins, found so at start                asserted, entered_error
//   ends, the status is clear                stopped, left_error
//   ends otherwise (order, stop, link down)  left_error
// About anything else: none.
std::vector<wire::PauseMessage> pause_messages(const watchdog::Event&, const PortNames& of_its_port);

}  // namespace petrel::runtime

// Decides at start which treatments of a device to keep. There are three sources: the checkpoint, the treatments in
// force by the journal, and the device itself. None is trusted alone.
//
// clang-format off
//   device shows | journal has it | checkpoint             | decision
//   treated      | any            | latched, or ordered    | keep
//   treated      | yes            | restoring              | undo: this was decided, but not finished
//   treated      | yes            | anything else, or not  | keep: it must prove quiet like any other storm
//   treated      | no             | stormed                | keep
//   treated      | no             | not stormed            | undo: there is no reason for the treatment
//   port down    | no             | at rest                | ignore: ports are disabled for other reasons, too
//   untreated    | any            | latched, or ordered    | keep: it is applied again
//   untreated    | any            | anything else, or not  | undo: command it again and close the journal; a storm that
//                |                |                        | goes on is detected again
// clang-format on
#pragma once

#include <vector>

#include "agent/agent.hpp"

namespace petrel::agent {

struct Adoption {
    Target target;
    watchdog::Treatment found{};
    bool keep{};
    bool operator==(const Adoption&) const = default;
};

std::vector<Adoption> reconcile(const Start&);

}  // namespace petrel::agent

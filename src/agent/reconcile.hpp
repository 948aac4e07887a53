// What to make of a device at start. Three witnesses: what we remember, what the journal says is in force, what the
// device shows. None is believed alone.
//
// clang-format off
//   device shows | journal has it | remembered as          | so
//   treated      | any            | latched, or ordered    | keep
//   treated      | yes            | restoring              | undo: it was decided, only not finished
//   treated      | yes            | anything else, or not  | keep: it must prove quiet like any other
//   treated      | no             | stormed                | keep
//   treated      | no             | not stormed            | undo: nobody knows a reason for it
//   untreated    | any            | latched, or ordered    | keep: it is applied again
//   untreated    | any            | anything else, or not  | undo: tell the device once more and close the journal; a storm
//                |                |                        | that still goes on proves itself anew
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

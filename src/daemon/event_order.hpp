// Events of several devices as one list, as `petrel events` shows them.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "runtime/state_format.hpp"

namespace petrel::daemon {

// By time; those of one device always in the order of their sequence numbers, also where two have the same time or the
// clock was set back between them. Each device's own have to be in that order.
std::vector<const runtime::StoredEvent*> in_order(std::span<const std::deque<runtime::StoredEvent>* const> devices);

}  // namespace petrel::daemon

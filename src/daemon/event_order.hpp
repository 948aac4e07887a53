// Merges the events of several devices into one list, as `petrel events` shows it.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "runtime/state_format.hpp"

namespace petrel::daemon {

// Sorts by time. Events of one device keep the order of their sequence numbers, also if two have the same time or the
// wall clock was set back between them. The events of each device must come in that order.
std::vector<const runtime::StoredEvent*> in_order(std::span<const std::deque<runtime::StoredEvent>* const> devices);

}  // namespace petrel::daemon

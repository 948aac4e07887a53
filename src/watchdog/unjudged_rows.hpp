// Rows that a policy watches and where it can see no storm, whatever happens.
#pragma once

#include <cstddef>

#include "watchdog/watchlist.hpp"

namespace petrel::watchdog {

// Frames alone show pause only if the speed is known: it decides how long a frame holds.
bool needs_speed(const Policy&, Fields of_the_device);

std::size_t unjudged_rows(const Watchlist&);

}  // namespace petrel::watchdog

// Somebody who starts a service over and over must not wear down the hardware behind it: starts are counted in a file,
// and one that follows on many others waits.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "base/time.hpp"

namespace petrel::runtime {

// Notes a start and says how long the hardware is to be left alone: not at all after up to three within a minute, then
// a second, two, four, at most thirty. A file that cannot be read or written holds nobody up.
Duration note_start(const std::filesystem::path&, WallTime now);

// A start that ended well does not count.
void forget_starts(const std::filesystem::path&);

}  // namespace petrel::runtime

// Protects the hardware from a service that is restarted again and again: starts are counted in a file, and a start
// that follows many others waits.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "base/time.hpp"

namespace petrel::runtime {

// The file begins with the version of its format. That of a later version stays as it is.
//
// Records a start and returns how long to wait before devices are opened: 0 for the first three starts within a minute,
// then 1 s, 2 s, 4 s ..., at most 30 s. If the file cannot be read or written, the start does not wait.
Duration note_start(const std::filesystem::path&, WallTime now);

// Removes all recorded starts. Called after an orderly stop.
void forget_starts(const std::filesystem::path&);

}  // namespace petrel::runtime

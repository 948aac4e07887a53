// The one way to carry a command out: prepare (read what will be overwritten), journal it durably, apply, read back,
// close. Every runner uses it, and so does a release of everything with the daemon dead.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "device/device.hpp"
#include "device/journal.hpp"

namespace petrel::device {

// The moments at which a process may die with different things done.
enum class FaultPoint : std::uint8_t { before_prepare, prepared, journaled, applied, read_back, closed, count_ };

std::string_view name(FaultPoint);

using FaultHook = std::function<void(FaultPoint)>;

watchdog::Outcome carry_out(const watchdog::Command&, Device&, Journal&, const TimeSource&, const FaultHook& at = {});

}  // namespace petrel::device

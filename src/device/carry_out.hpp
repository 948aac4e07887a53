// The only way to carry out a command: prepare (read what will be overwritten), journal that durably, apply, read back,
// close the journal entry. Every runner uses it, and so does a release without a running agent (daemon/release.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "device/device.hpp"
#include "device/journal.hpp"

namespace petrel::device {

// The points at which the process may die, each with a different amount of work done. For fault injection in tests.
enum class FaultPoint : std::uint8_t { before_prepare, prepared, journaled, applied, read_back, closed, count_ };

std::string_view name(FaultPoint);

using FaultHook = std::function<void(FaultPoint)>;

watchdog::Outcome carry_out(const watchdog::Command&, Device&, Journal&, const TimeSource&, const FaultHook& at = {});

}  // namespace petrel::device

// The only way to carry out a command: prepare (read what will be overwritten), journal that durably, apply; then wait
// for the effect, read back, close the journal entry. Every runner uses it, and so does a release without a running
// agent (daemon/release.cpp).
//
// A runner may begin several commands before it finishes the first one, if the device acts later (device.hpp). It
// finishes every command that it has begun.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "device/device.hpp"
#include "device/journal.hpp"

namespace petrel::device {

// The points at which the process may die, each with a different amount of work done. For fault injection in tests.
enum class FaultPoint : std::uint8_t { before_prepare, prepared, journaled, applied, read_back, closed, count_ };

std::string_view name(FaultPoint);

using FaultHook = std::function<void(FaultPoint)>;

// A command from begin_command() to finish_command().
struct Begun {
    watchdog::Command command;
    Undo undo;         // what was in place before the first treatment
    bool journaled{};  // before begin_command()
    Result<void> applied;
    std::optional<watchdog::Outcome> ended;  // set if nothing was applied
};

Begun begin_command(const watchdog::Command&, Device&, Journal&, const TimeSource&, const FaultHook& at = {});
watchdog::Outcome finish_command(Begun, Device&, Journal&, const TimeSource&, const FaultHook& at = {});

// Both.
watchdog::Outcome carry_out(const watchdog::Command&, Device&, Journal&, const TimeSource&, const FaultHook& at = {});

}  // namespace petrel::device

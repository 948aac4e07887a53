#include "device/carry_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace petrel::device {
namespace {

using watchdog::Command;
using watchdog::Outcome;
using watchdog::Treatment;
using watchdog::Verdict;

// What was in place before the first treatment, and whether the journal holds it already.
struct Before {
    Undo undo;
    bool journaled{};
};

// The result of the write, as far as the device shows it.
struct Seen {
    Verdict verdict{};
    std::optional<Treatment> in_effect;
    std::string detail;
};

Verdict verdict_of(const Error& error)
{
    switch (error.kind) {
    case ErrorKind::unsupported:
    case ErrorKind::denied: return Verdict::refused;
    case ErrorKind::timed_out: return Verdict::timed_out;
    default: return Verdict::failed;
    }
}

// Prefer the journal's Undo: once a target is treated, the device shows only our own settings.
Result<Before> find_before(const Command& command, Device& device, Journal& journal)
{
    auto active = journal.active();
    if (!active) {
        return tl::unexpected(
            Error{ErrorKind::corrupt, "nothing was tried, the journal cannot be read: " + active.error().what});
    }
    const auto entry = std::ranges::find(*active, command.target, &Active::target);
    if (entry != active->end()) {
        return Before{entry->undo, true};
    }
    return device.prepare(command).map([](const Undo& undo) { return Before{undo, false}; });
}

// What the device shows outweighs what apply() returned: if the read-back shows the wanted treatment, the write
// happened. The exception is a restore after a treatment that may still take effect: the device shows none either way.
Seen judge(const Command& command, const Result<void>& applied, const Result<Treatment>& shown)
{
    const auto want = command.want;
    const auto in_effect = shown ? std::optional{*shown} : std::nullopt;
    const bool proves = applied || want != Treatment::none || !command.late_treatment;
    if (in_effect == want && proves) {
        return {Verdict::confirmed, in_effect, applied ? "" : applied.error().what};
    }
    if (!applied) {
        return {verdict_of(applied.error()), in_effect, applied.error().what};
    }
    if (!shown) {
        // Never "refused": the device accepted the write, only its effect could not be read.
        const auto late = shown.error().kind == ErrorKind::timed_out;
        return {late ? Verdict::timed_out : Verdict::failed, in_effect,
                "written, but not read back: " + shown.error().what};
    }
    return {Verdict::differs, in_effect, fmt::format("wanted {}, the device shows {}", name(want), name(*in_effect))};
}

Seen judge_unread(Treatment want, const Result<void>& applied)
{
    return applied ? Seen{Verdict::accepted, want, ""}
                   : Seen{verdict_of(applied.error()), std::nullopt, applied.error().what};
}

// Whether the journal entry may be closed. It stays while the treatment is in force or may still take effect.
bool nothing_in_force(const Begun& begun, const Result<void>& applied, const Seen& seen, bool was_read)
{
    if (begun.command.want == Treatment::none) {
        return seen.verdict == Verdict::confirmed || seen.verdict == Verdict::accepted;
    }
    if (applied || seen.verdict == Verdict::timed_out) {
        return false;
    }
    return was_read ? seen.in_effect == Treatment::none : seen.verdict == Verdict::refused && !begun.journaled;
}

Outcome outcome_of(const Command& command, Seen seen, const TimeSource& clock)
{
    return {command.id, seen.verdict, seen.in_effect.value_or(Treatment::none), clock.now().mono,
            std::move(seen.detail)};
}

void reach(const FaultHook& at, FaultPoint point)
{
    if (at) {
        at(point);
    }
}

}  // namespace

std::string_view name(FaultPoint point)
{
    constexpr std::array<std::string_view, static_cast<std::size_t>(FaultPoint::count_)> kNames{
        "before_prepare", "prepared", "journaled", "applied", "read_back", "closed"};
    return kNames.at(static_cast<std::size_t>(point));
}

Begun begin_command(const Command& command, Device& device, Journal& journal, const TimeSource& clock,
                    const FaultHook& at)
{
    Begun begun{command, {}, {}, {}, {}};
    const auto end = [&](Verdict verdict, std::string detail) {
        begun.ended = outcome_of(command, {verdict, std::nullopt, std::move(detail)}, clock);
        return begun;
    };

    reach(at, FaultPoint::before_prepare);
    const auto before = find_before(command, device, journal);
    if (!before) {
        return end(verdict_of(before.error()), before.error().what);
    }
    begun.undo = before->undo;
    begun.journaled = before->journaled;
    reach(at, FaultPoint::prepared);

    if (command.want != Treatment::none) {
        const auto opened = journal.open({command.target, command.want, begun.undo, clock.now().wall});
        if (!opened) {
            return end(Verdict::failed, "nothing was applied, the journal cannot be written: " + opened.error().what);
        }
        reach(at, FaultPoint::journaled);
    }

    begun.applied = device.apply(command, begun.undo);
    reach(at, FaultPoint::applied);
    return begun;
}

Outcome finish_command(Begun begun, Device& device, Journal& journal, const TimeSource& clock, const FaultHook& at)
{
    if (begun.ended) {
        return std::move(*begun.ended);
    }
    const auto& command = begun.command;
    const auto applied = begun.applied.and_then([&] { return device.await_effect(command); });
    const bool was_read = device.capabilities().reads_back;
    auto seen =
        was_read ? judge(command, applied, device.read_back(command.target)) : judge_unread(command.want, applied);
    reach(at, FaultPoint::read_back);

    if (nothing_in_force(begun, applied, seen, was_read)) {
        const auto closed = journal.close(command.target);
        if (!closed) {
            // A restore is not complete while its journal entry is open. Repeating the restore is harmless.
            seen.verdict = command.want == Treatment::none ? Verdict::failed : seen.verdict;
            seen.detail += (seen.detail.empty() ? "" : "; ") +
                           ("nothing is in force, but the journal still has the entry: " + closed.error().what);
        }
        reach(at, FaultPoint::closed);
    }
    return outcome_of(command, std::move(seen), clock);
}

Outcome carry_out(const Command& command, Device& device, Journal& journal, const TimeSource& clock,
                  const FaultHook& at)
{
    return finish_command(begin_command(command, device, journal, clock, at), device, journal, clock, at);
}

}  // namespace petrel::device

#include "codec/event_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "codec/event_values.hpp"

namespace petrel::codec {
namespace {

using Key = EventValues::Key;
using Kind = EventValues::Value::Kind;
using watchdog::Criterion;

const std::string& text(const EventValues& values, Key key) { return values.at(key).text; }

std::int64_t number(const EventValues& values, Key key)
{
    const auto& [kind, number, text] = values.at(key);
    return kind == Kind::natural || kind == Kind::negative ? static_cast<std::int64_t>(number) : 0;
}

template <class Enum>
std::optional<Enum> named(std::string_view word, Enum end)
{
    for (auto i = 0; i < static_cast<int>(end); ++i) {
        if (watchdog::name(static_cast<Enum>(i)) == word) {
            return static_cast<Enum>(i);
        }
    }
    return std::nullopt;
}

// None if the criterion is unknown to this version.
std::optional<watchdog::Evidence> evidence(const EventValues& values)
{
    const auto criterion =
        named(text(values, Key::criterion), static_cast<Criterion>(static_cast<int>(Criterion::device) + 1));
    if (!criterion) {
        return std::nullopt;
    }
    watchdog::Evidence read;
    read.rule.criterion = *criterion;
    // Far more than any clock of the watchdog can prove, and still a valid duration.
    constexpr std::int64_t kMost = 1'000'000'000'000'000;
    read.proven = std::chrono::microseconds{std::clamp<std::int64_t>(number(values, Key::proven_us), 0, kMost)};
    read.limit = std::chrono::microseconds{std::clamp<std::int64_t>(number(values, Key::limit_us), 0, kMost)};
    const auto& looks = values.at(Key::looks);
    const auto count = looks.kind == Kind::list ? looks.number : 0;
    read.looks = static_cast<std::uint8_t>(std::min<std::uint64_t>(count, read.last.size()));
    return read;
}

template <class Number>
std::optional<Number> whole_number(const EventValues& values, Key key)
{
    const auto& [kind, number, text] = values.at(key);
    const bool fits = kind == Kind::natural && number <= std::numeric_limits<Number>::max();
    return fits ? std::optional{static_cast<Number>(number)} : std::nullopt;
}

// None: not whole.
std::optional<watchdog::LinkReason> link_reason(const EventValues& values)
{
    const auto count = whole_number<std::uint64_t>(values, Key::number);
    const auto ldr = whole_number<std::uint8_t>(values, Key::ldr);
    const auto cause = whole_number<std::uint16_t>(values, Key::cause);
    if (!count || !ldr || !cause) {
        return std::nullopt;
    }
    return watchdog::LinkReason{*count,
                                *ldr,
                                whole_number<std::uint8_t>(values, Key::nldr),
                                *cause,
                                text(values, Key::list),
                                whole_number<std::uint64_t>(values, Key::code)};
}

std::optional<watchdog::Event> known_event(const EventValues& values)
{
    const auto kind = named(text(values, Key::event), watchdog::EventKind::count_);
    const auto reason = named(text(values, Key::reason), watchdog::Reason::count_);
    if (!kind || !reason) {
        return std::nullopt;
    }
    watchdog::Event event;
    event.kind = *kind;
    event.reason = *reason;
    event.by = text(values, Key::by);
    if (values.at(Key::link).kind == Kind::object) {
        event.link = link_reason(values);
    }
    if (values.at(Key::evidence).kind == Kind::object) {
        const auto read = evidence(values);
        if (!read) {
            return std::nullopt;
        }
        event.evidence = *read;
    }
    return event;
}

}  // namespace

Result<EventLine> read_event(std::string_view line) { return event_in(EventValues{line}); }

Result<EventLine> event_in(EventValues&& values)
{
    if (!values.is_object() || text(values, Key::event).empty()) {
        return tl::unexpected(Error{ErrorKind::corrupt, "a line that is no event"});
    }
    EventLine line;
    line.known = known_event(values);
    line.seq = static_cast<std::uint64_t>(std::max<std::int64_t>(number(values, Key::seq), 0));
    line.time_us = number(values, Key::time_us);
    line.event = values.take_text(Key::event);
    line.device = values.take_text(Key::device);
    line.port = values.take_text(Key::port);
    line.queue = line.port;
    if (const auto& queue = values.at(Key::queue); queue.kind == Kind::natural) {
        line.queue += ':' + std::to_string(queue.number);
        if (queue.number < kPriorities) {
            line.priority = Priority{static_cast<std::uint8_t>(queue.number)};
        }
    }
    line.policy = values.take_text(Key::policy);
    line.action = values.take_text(Key::action);
    if (line.known) {
        line.known->seq = line.seq;
        line.known->target.priority = line.priority;
    }
    return line;
}

}  // namespace petrel::codec

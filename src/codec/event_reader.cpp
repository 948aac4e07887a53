#include "codec/event_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "codec/event_json_reader.hpp"
#include "codec/json_text.hpp"

namespace petrel::codec {
namespace {

using watchdog::Criterion;

std::string text(const nlohmann::json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

std::int64_t number(const nlohmann::json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_number_integer() ? at->get<std::int64_t>() : 0;
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
std::optional<watchdog::Evidence> evidence(const nlohmann::json& given)
{
    const auto criterion =
        named(text(given, "criterion"), static_cast<Criterion>(static_cast<int>(Criterion::device) + 1));
    if (!criterion) {
        return std::nullopt;
    }
    watchdog::Evidence read;
    read.rule.criterion = *criterion;
    // Far more than any clock of the watchdog can prove, and still a valid duration.
    constexpr std::int64_t kMost = 1'000'000'000'000'000;
    read.proven = std::chrono::microseconds{std::clamp<std::int64_t>(number(given, "proven_us"), 0, kMost)};
    read.limit = std::chrono::microseconds{std::clamp<std::int64_t>(number(given, "limit_us"), 0, kMost)};
    const auto looks = given.find("looks");
    const auto count = looks != given.end() && looks->is_array() ? looks->size() : 0;
    read.looks = static_cast<std::uint8_t>(std::min(count, read.last.size()));
    return read;
}

template <class Number>
std::optional<Number> whole_number(const nlohmann::json& object, const char* key)
{
    const auto at = object.find(key);
    const bool fits = at != object.end() && at->is_number_unsigned() &&
                      at->get<std::uint64_t>() <= std::numeric_limits<Number>::max();
    return fits ? std::optional{at->get<Number>()} : std::nullopt;
}

// None: not whole.
std::optional<watchdog::LinkReason> link_reason(const nlohmann::json& given)
{
    const auto count = whole_number<std::uint64_t>(given, "number");
    const auto ldr = whole_number<std::uint8_t>(given, "ldr");
    const auto cause = whole_number<std::uint16_t>(given, "cause");
    if (!count || !ldr || !cause) {
        return std::nullopt;
    }
    return watchdog::LinkReason{*count,
                                *ldr,
                                whole_number<std::uint8_t>(given, "nldr"),
                                *cause,
                                text(given, "list"),
                                whole_number<std::uint64_t>(given, "code")};
}

std::optional<watchdog::Event> known_event(const nlohmann::json& object)
{
    const auto kind = named(text(object, "event"), watchdog::EventKind::count_);
    const auto reason = named(text(object, "reason"), watchdog::Reason::count_);
    if (!kind || !reason) {
        return std::nullopt;
    }
    watchdog::Event event;
    event.kind = *kind;
    event.reason = *reason;
    event.by = text(object, "by");
    if (const auto given = object.find("link"); given != object.end() && given->is_object()) {
        event.link = link_reason(*given);
    }
    if (const auto given = object.find("evidence"); given != object.end() && given->is_object()) {
        const auto read = evidence(*given);
        if (!read) {
            return std::nullopt;
        }
        event.evidence = *read;
    }
    return event;
}

EventLine event_of(const nlohmann::json& object)
{
    EventLine line;
    line.seq = static_cast<std::uint64_t>(std::max<std::int64_t>(number(object, "seq"), 0));
    line.time_us = number(object, "time_us");
    line.event = text(object, "event");
    line.device = text(object, "device");
    line.port = text(object, "port");
    line.queue = line.port;
    if (const auto queue = object.find("queue"); queue != object.end() && queue->is_number_unsigned()) {
        const auto priority = queue->get<std::uint64_t>();
        line.queue += fmt::format(":{}", priority);
        if (priority < kPriorities) {
            line.priority = Priority{static_cast<std::uint8_t>(priority)};
        }
    }
    line.policy = text(object, "policy");
    line.action = text(object, "action");
    line.known = known_event(object);
    if (line.known) {
        line.known->seq = line.seq;
        line.known->target.priority = line.priority;
    }
    return line;
}

}  // namespace

Result<EventLine> read_event(std::string_view line) { return event_in(nlohmann::json::parse(line, nullptr, false)); }

Result<EventLine> event_in(const nlohmann::json& object)
{
    if (!object.is_object() || text(object, "event").empty()) {
        return tl::unexpected(Error{ErrorKind::corrupt, "a line that is no event"});
    }
    return event_of(object);
}

}  // namespace petrel::codec

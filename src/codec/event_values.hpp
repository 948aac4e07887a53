// The values of a line of docs/events.md, in one pass over its JSON and without a tree of it: a manager reads many
// lines. If a key occurs twice, its last value counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "codec/event_reader.hpp"

namespace petrel::codec {

class EventValues {
public:
    enum class Key : std::uint8_t {
        seq,
        time_us,
        event,
        device,
        port,
        queue,
        policy,
        reason,
        action,
        by,
        link,
        evidence,
        number,  // from here on: of "link"
        ldr,
        nldr,
        cause,
        list,
        code,
        criterion,  // from here on: of "evidence"
        proven_us,
        limit_us,
        looks,
        count_
    };
    struct Value {
        enum class Kind : std::uint8_t { absent, null, text, natural, negative, object, list, other };
        Kind kind{};
        std::uint64_t number{};  // natural; negative: as two's complement; list: how many elements
        std::string text;        // of Kind::text; else empty
    };

    // Any text. Values are those before its first syntax error.
    explicit EventValues(std::string_view line);

    bool is_object() const { return is_object_; }  // the text is one JSON object in UTF-8
    std::size_t depth() const { return depth_; }   // of nested objects and lists
    const Value& at(Key key) const { return values_.at(static_cast<std::size_t>(key)); }
    std::string take_text(Key key) { return std::move(values_.at(static_cast<std::size_t>(key)).text); }

private:
    class Scan;

    std::array<Value, static_cast<std::size_t>(Key::count_)> values_;
    std::size_t depth_{};
    bool is_object_{};
};

Result<EventLine> event_in(EventValues&&);

}  // namespace petrel::codec

// Values of JSON from outside, with a complaint that names the key, the value and what is allowed. For the .cpp files
// of codec/manager only: it includes the JSON library.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/complaint_text.hpp"
#include "base/ids.hpp"
#include "codec/json_shape.hpp"
#include "codec/manager/report_reader.hpp"

namespace petrel::codec {

// Thrown by the readers below and caught in the same module.
struct BadValue : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The JSON library shows and copies a value level by level: a deep one would exhaust the stack.
inline void check_depth(std::size_t depth, std::size_t most = 16)
{
    if (depth > most) {
        throw BadValue{fmt::format("nested {} deep: allowed {}", depth, most)};
    }
}

// The depth has been checked.
inline nlohmann::json checked_object(std::string_view text)
{
    auto object = nlohmann::json::parse(text, nullptr, false);
    if (!object.is_object()) {
        throw BadValue{"not a JSON object in UTF-8"};
    }
    return object;
}

inline nlohmann::json bounded_object(std::string_view text)
{
    check_depth(json_shape(text).depth);
    return checked_object(text);
}

[[noreturn]] inline void refuse_value(const char* key, const nlohmann::json* value, std::string_view allowed)
{
    const auto shown = value == nullptr
                           ? std::string{"absent"}
                           : excerpt(value->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    throw BadValue{fmt::format("{}: {}: allowed {}", key, shown, allowed)};
}

inline const nlohmann::json* value_at(const nlohmann::json& object, const char* key)
{
    const auto at = object.find(key);
    return at == object.end() ? nullptr : &*at;
}

// It can be shown on a terminal and is not empty.
inline bool is_name(std::string_view text) { return !text.empty() && text.size() <= kLongestName && printable(text); }

inline std::string name_at(const nlohmann::json& object, const char* key)
{
    const auto* value = value_at(object, key);
    if (value != nullptr && value->is_string()) {
        if (const auto& name = value->get_ref<const std::string&>(); is_name(name)) {
            return name;
        }
    }
    refuse_value(key, value, fmt::format("a name of 1 to {} bytes without control characters", kLongestName));
}

// A word for display; absent is empty.
inline std::string word_at(const nlohmann::json& object, const char* key)
{
    const auto* value = value_at(object, key);
    if (value == nullptr || value->is_null()) {
        return {};
    }
    return name_at(object, key);
}

inline std::uint64_t count_at(const nlohmann::json& object, const char* key)
{
    const auto* value = value_at(object, key);
    if (value == nullptr || !value->is_number_unsigned() || value->get<std::uint64_t>() > INT64_MAX) {
        refuse_value(key, value, "a whole number from 0");
    }
    return value->get<std::uint64_t>();
}

inline Priority priority_at(const nlohmann::json& object, const char* key)
{
    const auto* value = value_at(object, key);
    if (value == nullptr || !value->is_number_unsigned() || value->get<std::uint64_t>() >= kPriorities) {
        refuse_value(key, value, fmt::format("0..{}", kPriorities - 1));
    }
    return Priority{value->get<std::uint8_t>()};
}

// Calls `read` for each object of a list; an absent list is empty if `may_be_absent`.
template <class Read>
void each_object(const nlohmann::json& object, const char* key, bool may_be_absent, const Read& read)
{
    const auto* list = value_at(object, key);
    if (list == nullptr && may_be_absent) {
        return;
    }
    if (list == nullptr || !list->is_array()) {
        refuse_value(key, list, "a list of objects");
    }
    for (const auto& one : *list) {
        if (!one.is_object()) {
            refuse_value(key, &one, "a list of objects");
        }
        read(one);
    }
}

}  // namespace petrel::codec

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
#include "codec/manager/report_reader.hpp"

namespace petrel::codec {

// Thrown by the readers below and caught in the same module.
struct BadValue : std::runtime_error {
    using std::runtime_error::runtime_error;
};

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

// A name that can be shown on a terminal and is not empty.
inline std::string name_at(const nlohmann::json& object, const char* key)
{
    const auto* value = value_at(object, key);
    if (value != nullptr && value->is_string()) {
        auto name = value->get<std::string>();
        if (!name.empty() && name.size() <= kLongestName && printable(name)) {
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

// How our JSON is written: one line; bytes that are no UTF-8 (a device's own words may hold any) are replaced, not
// thrown at us. For the .cpp files of codec only: it brings the JSON library along.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/time.hpp"

namespace petrel::codec {

template <class Json>
std::string to_line(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A time of day: microseconds since 1970.
inline std::int64_t wall_us(WallTime at) { return at.time_since_epoch().count(); }

}  // namespace petrel::codec

// How our JSON is written: one line. Bytes that are no UTF-8 (a device's own words may hold any) are replaced, and
// characters that would disturb a terminal are escaped. For the .cpp files of codec only: it brings the JSON library
// along.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/complaint_text.hpp"
#include "base/time.hpp"

namespace petrel::codec {

template <class Json>
std::string to_line(const Json& json)
{
    auto line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return printable(line) ? line : json_escaped(line);
}

// A time of day: microseconds since 1970.
inline std::int64_t wall_us(WallTime at) { return at.time_since_epoch().count(); }

}  // namespace petrel::codec

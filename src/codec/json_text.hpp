// Writes our JSON in one line. Invalid UTF-8 (a device's messages may hold any bytes) is replaced, and characters that
// would disturb a terminal are escaped. For the .cpp files of codec and codec/scenario only: it includes the JSON
// library.
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

// Wall time in microseconds since 1970.
inline std::int64_t wall_us(WallTime at) { return at.time_since_epoch().count(); }

}  // namespace petrel::codec

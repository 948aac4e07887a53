// An object whose values are all strings, as one line of JSON, for structured log lines.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace petrel::codec {

// In the given order, without the newline. A key that occurs twice keeps its first position and its last value.
std::string flat_json(std::span<const std::pair<std::string_view, std::string_view>> members);

}  // namespace petrel::codec

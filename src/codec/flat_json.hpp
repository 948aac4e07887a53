// An object whose values are all texts, as one line of JSON: for lines of the log, whose fields are known to whoever
// writes them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace petrel::codec {

// In the order given, without the end of the line. A key that comes twice keeps its first place and its last value.
std::string flat_json(std::span<const std::pair<std::string_view, std::string_view>> members);

}  // namespace petrel::codec

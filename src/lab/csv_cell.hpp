// A name as CSV wants it: in quotes where it would be read as something else.
#pragma once

#include <string>
#include <string_view>

namespace petrel::lab {

inline std::string csv_cell(std::string_view name)
{
    if (name.find_first_of(",\"\n\r") == std::string_view::npos) {
        return std::string{name};
    }
    std::string quoted = "\"";
    for (const char c : name) {
        quoted += c == '"' ? std::string{"\"\""} : std::string{c};
    }
    return quoted + '"';
}

}  // namespace petrel::lab

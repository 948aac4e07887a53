// Reads the scripts of `petrel link play`: JSON lines, one event each (docs/link-down.md).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "link/link_script.hpp"

namespace petrel::codec {

struct ScriptLine {
    link::ScriptEvent event;
    std::string_view word;  // the event's name in the script
    std::uint32_t line{};
};

Parsed<std::vector<ScriptLine>> read_link_script(std::string_view text, std::string_view file);

}  // namespace petrel::codec

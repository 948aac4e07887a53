// Tables as SONiC's tools print them: two blanks between columns, a rule of dashes below the heading (or around a table
// without one), columns at least two characters wider than their title, columns of numbers aligned to the right. Cells
// come from databases and may contain anything: control characters are escaped, and long cells are cut.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace petrel::sonic_tools {

struct SimpleTable {
    enum class TextAlign : std::uint8_t { left, right };  // of columns that are not numbers

    std::vector<std::string> heading;  // may be empty
    std::vector<std::vector<std::string>> rows;
    TextAlign text_align{TextAlign::left};
};

std::string to_text(SimpleTable);

}  // namespace petrel::sonic_tools

// Tables as SONiC's tools print them: two blanks between columns, a rule of dashes below the heading (or around a table
// without one), a heading that leaves two blanks, columns of numbers to the right. Cells come from databases and may
// hold anything: what would disturb a terminal is escaped, what is too long is cut.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace petrel::sonic_tools {

struct SimpleTable {
    enum class Words : std::uint8_t { left, right };  // where words go

    std::vector<std::string> heading;  // may be empty
    std::vector<std::vector<std::string>> rows;
    Words words{Words::left};
};

std::string to_text(SimpleTable);

}  // namespace petrel::sonic_tools

// Tables in a file, as SONiC's own configuration files have them: {"PFC_WD": {"Ethernet0": {"action": "drop"}}}.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "codec/table_change.hpp"

namespace petrel::codec {

// Every key is a table's name and an entry's, with a | between them.
bool fits_table_file(std::string_view key);

std::string table_file_text(const TableContent&);

// Of anything else than such tables, or a part of them, it says what is wrong.
Result<TableContent> read_table_file(std::string_view text);

}  // namespace petrel::codec

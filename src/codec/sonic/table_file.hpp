// Tables in a file, in the format of SONiC's configuration files: {"PFC_WD": {"Ethernet0": {"action": "drop"}}}.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "control/table_change.hpp"

namespace petrel::codec {

// Whether a key has the form TABLE|ENTRY.
bool fits_table_file(std::string_view key);

// With the version of the format.
std::string table_file_text(const control::TableContent&);

// A file of another version is refused with ErrorKind::unsupported. If the text does not consist of such tables, the
// error has all problems. `file` is the name that they have.
Result<control::TableContent> read_table_file(std::string_view text, std::string_view file);

}  // namespace petrel::codec

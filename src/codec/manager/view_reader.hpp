// Reads answers of the manager's API (view_json.hpp), for commands that show them. Keys and words that a newer manager
// may have are ignored.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fabric/fabric_view.hpp"

namespace petrel::codec {

Result<std::vector<fabric::ShownPort>> read_ports_view(std::string_view json);

Result<std::vector<fabric::ShownLink>> read_links_view(std::string_view json);

}  // namespace petrel::codec

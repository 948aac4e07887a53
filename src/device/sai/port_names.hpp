// What ports are called on the front panel: by their lanes, as SONiC's port_config.ini has it. A library knows lanes
// and no names.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace petrel::device::sai {

struct NamedPort {
    std::string name;
    std::set<std::uint32_t> lanes;
    bool operator==(const NamedPort&) const = default;
};

// Lines of columns with blanks between. A comment before the first port that has the words name and lanes says what
// the columns are ("# name lanes alias index speed"); without one those are the first two. No name and no lane is there
// twice.
Parsed<std::vector<NamedPort>> parse_port_names(std::string_view text, std::string_view file);

}  // namespace petrel::device::sai

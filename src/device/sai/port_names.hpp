// The front panel names of ports, by their lanes, as in SONiC's port_config.ini. A library reports lanes but no names.
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

// Each line has columns separated by blanks. A comment before the first port that contains the words `name` and `lanes`
// is the header ("# name lanes alias index speed"). Without a header the first two columns are name and lanes.
// Duplicate names and duplicate lanes are errors.
Parsed<std::vector<NamedPort>> parse_port_names(std::string_view text, std::string_view file);

}  // namespace petrel::device::sai

// What a manager remembers of its links, as JSON lines: a heading, then one down event a line, or a cause whose
// event is still to be seen. Ports go by name. Lines may be repeated or in any order: an event is known by its port and
// number, so reading is the same as merging.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "link/history.hpp"

namespace petrel::codec {

using NamedHistories = std::map<std::string, link::PortHistory>;

std::string link_history_text(const NamedHistories&);
Parsed<NamedHistories> read_link_history(std::string_view text, std::string_view file);

}  // namespace petrel::codec

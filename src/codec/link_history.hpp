// The link history that the link manager keeps, as JSON lines: a header, then one link-down event a line, or a cause
// whose event has not been seen yet. Ports are stored by name. Lines may be repeated and in any order: an event is
// identified by its port and number, so reading is the same as merging.
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

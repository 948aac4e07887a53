// The link history that the link manager keeps, as JSON lines: a header, then one link-down event a line, or a cause
// whose event has not been seen yet. Ports are stored by name. Lines may be repeated and in any order: an event is
// identified by its port and number, so reading is the same as merging, and a later line completes an earlier one.
//
// Version 2 adds the code of the device, the end of the event and its acknowledgement. Version 1 is read as well.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "link/history.hpp"

namespace petrel::codec {

using link::NamedHistories;

std::string link_history_text(const NamedHistories&);

// Single lines, each with its newline: for a file to which they are appended.
std::string link_port_line(const std::string& port, std::uint64_t forgotten);
std::string link_event_line(const std::string& port, const link::DownEvent&);

Parsed<NamedHistories> read_link_history(std::string_view text, std::string_view file);

}  // namespace petrel::codec

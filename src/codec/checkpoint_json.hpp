// The watchdog's checkpoint as JSON text. Ports are stored by name, since their indices are not valid in the next
// process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "watchdog/checkpoint.hpp"
#include "watchdog/observation.hpp"

namespace petrel::codec {

std::string checkpoint_json(const watchdog::Checkpoint&, const watchdog::Inventory&);

// Rows that the inventory no longer has are left out; `gone`, if it is given, becomes an inventory of them.
Parsed<watchdog::Checkpoint> read_checkpoint(std::string_view text, std::string_view file, const watchdog::Inventory&,
                                             watchdog::Inventory* gone = nullptr);

// The queues ("Ethernet0:3") that were treated or about to be treated, for messages. Empty if the text is no
// checkpoint.
std::vector<std::string> treated_queues(std::string_view text);

}  // namespace petrel::codec

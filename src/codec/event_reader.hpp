// A line of docs/events.md read again, by those who were not there when it happened: `petrel events` and whoever asks
// for a decision of an agent's earlier life. Read leniently: a newer agent may know more words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "watchdog/event.hpp"

namespace petrel::codec {

struct EventLine {
    std::int64_t time_us{};
    std::string event;  // as it is written, known to us or not
    std::string device;
    std::string queue;  // "Ethernet4:3", "Ethernet4"; empty = the whole device
    std::string policy;
    std::string action;
    // What the words about it need: kind, reason, evidence without its looks, who gave the order. None if we do not
    // know such events.
    std::optional<watchdog::Event> known;
};

Result<EventLine> read_event(std::string_view line);

}  // namespace petrel::codec

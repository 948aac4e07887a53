// What another tool reports about one port, in the terms of this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "link/decode.hpp"

namespace petrel::link {

struct ImportedEvent {
    std::uint8_t ldr{};
    std::optional<std::uint8_t> nldr;  // none: unavailable to the tool
    std::string time;                  // as the tool prints it: without a year and a time zone
    bool operator==(const ImportedEvent&) const = default;
};

struct ImportedPort {
    std::string port;                 // "LID 0x00000001 port 1", "eth0"
    std::string state;                // as the tool prints it: "Down", "Active", "no link"; empty: not printed
    std::optional<Decoded> local;     // why this end went down; none: the tool does not show it
    std::optional<Decoded> neighbor;  // what the neighbour sent
    std::vector<ImportedEvent> log;   // in the order of the tool
};

}  // namespace petrel::link

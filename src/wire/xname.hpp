// Names of components in a cabinet by their place: x0c0r4j3p1 is port 1 of jack 3 of the switch in slot 4 of chassis 0
// of cabinet 0. Only the kinds that belong to the network are known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace petrel::wire {

enum class XnameKind : std::uint8_t { switch_module, switch_controller, jack, jack_port, asic, asic_link };

struct Xname {
    XnameKind kind{};
    std::vector<std::uint32_t> numbers;  // cabinet, chassis, slot, and what follows in the name
    bool operator==(const Xname&) const = default;
};

// Blanks around it, capital letters and leading zeros are forgiven. Refused: everything that names no such component.
Result<Xname> parse_xname(std::string_view);
std::string to_string(const Xname&);  // in its normal form

}  // namespace petrel::wire

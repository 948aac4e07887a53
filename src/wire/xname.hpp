// Names of components in a cabinet by their place: x0c0r4j3p1 is port 1 of jack 3 of the switch in slot 4 of chassis 0
// of cabinet 0. Only the kinds of network components are supported.
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
    std::vector<std::uint32_t> numbers;  // cabinet, chassis, slot, and the further numbers of the name
    bool operator==(const Xname&) const = default;
};

// Surrounding blanks, capital letters and leading zeros are accepted. Anything that is not such a name is an error.
Result<Xname> parse_xname(std::string_view);
std::string to_string(const Xname&);  // in its normal form

}  // namespace petrel::wire

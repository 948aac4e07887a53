// What a device reports about the link of one port.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "link/raw_code.hpp"

namespace petrel::link {

struct LinkSample {
    std::string port;
    bool up{};
    bool disabled{};                     // by the configuration of the device
    std::uint32_t downs{};               // how often it went down since the last sample
    std::optional<RawCode> code{};       // of the last time; none = the device has none
    std::optional<std::uint8_t> nldr{};  // the reason that the neighbour sent; none = the device cannot receive one
    bool operator==(const LinkSample&) const = default;
};

}  // namespace petrel::link

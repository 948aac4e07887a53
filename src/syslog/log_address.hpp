// Where log lines arrive, as operators write it: udp:HOST:PORT, tcp:HOST:PORT or unix:PATH; and whose lines are
// accepted: an address or a network, 10.1.0.0/16.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::syslog {

enum class Transport : std::uint8_t { udp, tcp, unix_socket };
std::string_view name(Transport);

struct LogAddress {
    Transport transport{};
    std::string at;  // HOST:PORT, or a path
    bool operator==(const LogAddress&) const = default;
};

Result<LogAddress> parse_log_address(std::string_view);

// An IPv4 address is ::ffff:a.b.c.d.
using IpAddress = std::array<std::uint8_t, 16>;

struct Network {
    IpAddress address{};
    unsigned bits{};  // of the IPv6 form
    bool contains(const IpAddress&) const;
    bool operator==(const Network&) const = default;
};

Result<Network> parse_network(std::string_view);

}  // namespace petrel::syslog

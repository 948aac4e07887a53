// The address of a fabric manager, as the agent's file and the command line give it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::config {

struct ManagerUrl {
    bool tls{};
    std::string host;  // a name or an address; an IPv6 address without its brackets
    std::uint16_t port{};
    bool operator==(const ManagerUrl&) const = default;
};

// https://HOST[:PORT], or http://HOST[:PORT] if the host is this machine: without TLS any host between could read and
// change what is sent.
Result<ManagerUrl> parse_manager_url(std::string_view);

inline constexpr std::string_view kManagerUrlForms =
    "https://HOST:PORT, or http://HOST:PORT for localhost, 127.0.0.0/8 or [::1]";

// A part of a path or query, with %XX for each character that has a meaning there.
std::string percent_escaped(std::string_view);

}  // namespace petrel::config

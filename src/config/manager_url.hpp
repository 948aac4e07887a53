// The address of a fabric manager, as the agent's file and the command line give it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// One of them, or several with commas between: the managers of a group.
Result<std::vector<ManagerUrl>> parse_manager_urls(std::string_view);
// Whether both lists have a URL in common: then they name the same manager or group.
bool name_same_managers(std::string_view urls, std::string_view other_urls);

inline constexpr std::string_view kManagerUrlForms =
    "https://HOST:PORT, or http://HOST:PORT for localhost, 127.0.0.0/8 or [::1]; of several managers all, with commas";

// A part of a path or query, with %XX for each character that has a meaning there.
std::string percent_escaped(std::string_view);

}  // namespace petrel::config

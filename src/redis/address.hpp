// The address of a Redis server: "unix:///var/run/redis/redis.sock" or "tcp://127.0.0.1:6379".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::redis {

struct Address {
    std::string path;  // path of a Unix socket; empty: use host and port
    std::string host;
    std::uint16_t port{};
    bool operator==(const Address&) const = default;
};

Result<Address> parse_address(std::string_view);
std::string to_text(const Address&);  // in the form that parse_address() accepts

}  // namespace petrel::redis

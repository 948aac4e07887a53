// A redis-server for one bench, on a socket in its own folder, configured as in SONiC. Its processor time is measured
// separately from ours.
#pragma once

#include <filesystem>
#include <optional>
#include <sys/types.h>

#include "redis/connection.hpp"

namespace petrel::bench {

class PrivateRedis {
public:
    // None if redis-server is not installed.
    static std::optional<PrivateRedis> start();
    PrivateRedis(PrivateRedis&&) noexcept;
    PrivateRedis& operator=(PrivateRedis&&) = delete;
    ~PrivateRedis();

    redis::Address address() const { return {(folder_ / "redis.sock").string(), {}, 0}; }
    std::unique_ptr<redis::Connection> connect(int database) const;
    double cpu_s() const;

private:
    PrivateRedis(std::filesystem::path folder, pid_t pid) : folder_(std::move(folder)), pid_(pid) {}

    std::filesystem::path folder_;
    pid_t pid_{-1};
};

}  // namespace petrel::bench

// A SONiC switch in the databases of a server: configured as orchagent leaves it, with counters that are written at
// each poll as syncd writes them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "private_redis.hpp"
#include "sonic_scripts.hpp"

namespace petrel::bench {

// What the hardware tells of a pause.
enum class PauseBy : std::uint8_t {
    time,  // how long, by port and priority (as Mellanox)
    state  // whether, by queue, and how often a pause has ended (as Broadcom)
};

// Of all queues.
enum class Condition : std::uint8_t {
    idle,     // no pause
    paused,   // at each poll, and each pause has ended by the next one: never a storm
    stormed,  // mitigated, and pause frames go on
    count_
};
std::string_view name(Condition);

class SonicFeed {
public:
    static constexpr std::chrono::milliseconds kPoll{200};

    SonicFeed(const PrivateRedis&, std::uint32_t queues, PauseBy);

    void set(Condition);
    void poll();  // one of syncd's
    void run_scripts();

    // How often the server was asked for this ("hmget").
    std::uint64_t calls(std::string_view command);

private:
    void fill_configuration(const PrivateRedis&) const;
    void fill_counters();
    redis::Pipeline call_of(std::string_view script);
    std::string port(std::uint32_t q) const;
    static std::string port_key(std::uint32_t q);
    static std::string queue_oid(std::uint32_t q);
    void send(const redis::Pipeline&);

    std::uint32_t queues_;
    PauseBy by_;
    Condition condition_{};
    std::unique_ptr<redis::Connection> counters_;
    redis::Pipeline detect_;
    redis::Pipeline restore_;
    std::uint64_t sent_{};
    std::uint64_t frames_{};
    std::uint64_t ends_{};
    std::uint64_t pause_us_{};
};

}  // namespace petrel::bench

// A SONiC switch in the databases of a server: configured as orchagent does, with counters written at each poll as
// syncd does.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "private_redis.hpp"
#include "sonic_scripts.hpp"

namespace petrel::bench {

// How the hardware reports pause.
enum class PauseBy : std::uint8_t {
    time,  // pause time by port and priority (as Mellanox)
    state  // paused or not by queue, and the number of ended pauses (as Broadcom)
};

// The condition of all queues.
enum class Condition : std::uint8_t {
    idle,     // no pause
    paused,   // paused at each poll, but each pause ends before the next one: never a storm
    stormed,  // mitigated, and pause frames go on
    count_
};
std::string_view name(Condition);

class SonicFeed {
public:
    static constexpr std::chrono::milliseconds kPoll{200};

    SonicFeed(const PrivateRedis&, std::uint32_t queues, PauseBy);

    void set(Condition);
    void poll();  // one poll of syncd
    void run_scripts();

    // How often the server received this command ("hmget").
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

// An agent as the detector of a SONiC switch, a real redis-server, and stand-ins for syncd and orchagent. The agent is
// simulated; it is a real process where tests kill it.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "drivers/sonic_driver.hpp"
#include "runtime/event_loop.hpp"
#include "support/agent_process.hpp"
#include "support/redis_server.hpp"
#include "support/simulated_agent.hpp"
#include "support/sonic_switch.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {

// Agent: AgentProcess or SimulatedAgent.
template <class Agent>
class SonicDetectorOf : public testing::Test {
protected:
    static constexpr bool kSimulated = std::is_same_v<Agent, test::SimulatedAgent>;
    static constexpr int kPollMs = 100;
    static constexpr Duration kHang = std::chrono::minutes{10};

    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        redis = std::make_unique<test::RedisServer>();
    }

    void build(test::SonicSwitch::Setup setup = {})
    {
        setup.poll = std::chrono::milliseconds{kPollMs};
        sonic = std::make_unique<test::SonicSwitch>(*redis, std::move(setup));
    }

    std::unique_ptr<Agent> live() { return live_in(folder.path()); }
    std::unique_ptr<Agent> live_in(std::filesystem::path own, std::vector<std::string> flags = {})
    {
        flags.insert(flags.end(), {"--redis", to_text(redis->address())});
        return live_with("[[device]]\nname = \"sw\"\ndriver = \"sonic:local\"\n", std::move(own), std::move(flags));
    }
    std::unique_ptr<Agent> live_with(std::string config, std::filesystem::path own, std::vector<std::string> flags)
    {
        if constexpr (kSimulated) {
            return std::make_unique<Agent>(time, typename Agent::Options{.folder = std::move(own),
                                                                         .config = std::move(config),
                                                                         .arguments = std::move(flags),
                                                                         .driver = &driver});
        } else {
            return std::make_unique<Agent>(typename Agent::Options{
                .folder = std::move(own), .config = std::move(config), .arguments = std::move(flags)});
        }
    }

    test::Ended release_all(const test::AgentProcess& agent, const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> arguments{
            "release-all",          "--config", agent.file().string(), "--redis", to_text(redis->address()), "--socket",
            agent.socket().string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return test::run({.program = PETREL_BIN_DIR "/petrel", .arguments = std::move(arguments)});
    }

    // syncd polls until `done` returns true. A queue in a storm counts frames and pause time, and its packets stay.
    void run_until(const std::function<bool()>& done)
    {
        [[maybe_unused]] const auto hang = this->now() + kHang;
        for (;;) {
            const auto now = this->now();
            const auto passed = polled == Instant{} ? std::chrono::milliseconds{kPollMs} : now - polled;
            polled = now;
            for (const auto& name : stormed) {
                auto& queue = sonic->queue(name);
                queue.rx += 100;
                queue.paused = true;
                queue.occupancy = 4096;
                queue.pause_us += static_cast<std::uint64_t>(whole_us(passed));
            }
            sonic->poll(Instant{std::chrono::duration_cast<Duration>(now.time_since_epoch() * stamps_per_time)});
            if (done()) {
                return;
            }
            if constexpr (kSimulated) {
                ASSERT_LT(now, hang);
                time.run_for(std::chrono::milliseconds{kPollMs});
            } else {
                ::poll(nullptr, 0, kPollMs);  // syncd's own timer
            }
        }
    }
    void calm(const std::string& name)
    {
        std::erase(stormed, name);
        sonic->queue(name).paused = false;
        sonic->queue(name).occupancy = 0;
    }
    void wait_for_status(const std::string& queue, const std::string& status)
    {
        run_until([&] { return sonic->of_queue(queue, "PFC_WD_STATUS") == status; });
    }

    // The messages that orchagent received. The agent repeats a message if orchagent does not react soon; repetitions
    // are removed.
    std::vector<std::string> messages() const
    {
        auto messages = sonic->messages();
        messages.erase(std::unique(messages.begin(), messages.end()), messages.end());
        return messages;
    }

    Instant now() const { return kSimulated ? time.now() : clock.now().mono; }

    test::SimulatedTime time;
    runtime::SystemClock clock;
    // Its looks do not wait for syncd's polls, because these come only when simulated time passes.
    drivers::SonicDriver driver{sonic::kDatabaseGlobal, {.wake = Duration{}}};
    Instant polled{};           // time of syncd's last poll
    double stamps_per_time{1};  // above one: syncd's stamps run fast
    test::TemporaryFolder folder;
    std::unique_ptr<test::RedisServer> redis;
    std::unique_ptr<test::SonicSwitch> sonic;
    std::vector<std::string> stormed;
};

using SonicDetector = SonicDetectorOf<test::SimulatedAgent>;
using SonicDetectorProcess = SonicDetectorOf<test::AgentProcess>;

}  // namespace petrel::daemon

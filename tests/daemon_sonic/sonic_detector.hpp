// A real agent as the detector of a SONiC switch, a real redis-server, and stand-ins for syncd and orchagent.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/event_loop.hpp"
#include "support/agent_process.hpp"
#include "support/redis_server.hpp"
#include "support/sonic_switch.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {

class SonicDetector : public testing::Test {
protected:
    static constexpr int kPollMs = 100;

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

    std::unique_ptr<test::AgentProcess> live() const { return live_in(folder.path()); }
    std::unique_ptr<test::AgentProcess> live_in(std::filesystem::path own, std::vector<std::string> flags = {}) const
    {
        flags.insert(flags.end(), {"--redis", to_text(redis->address())});
        return std::make_unique<test::AgentProcess>(
            test::AgentProcess::Options{.folder = std::move(own),
                                        .config = "[[device]]\nname = \"sw\"\ndriver = \"sonic:local\"\n",
                                        .arguments = std::move(flags)});
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
        for (;;) {
            const auto now = clock.now().mono;
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
            ::poll(nullptr, 0, kPollMs);  // syncd's own timer
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
    std::vector<std::string> words() const
    {
        auto said = sonic->words();
        said.erase(std::unique(said.begin(), said.end()), said.end());
        return said;
    }

    runtime::SystemClock clock;
    Instant polled{};           // time of syncd's last poll
    double stamps_per_time{1};  // above one: syncd's stamps run fast
    test::TemporaryFolder folder;
    std::unique_ptr<test::RedisServer> redis;
    std::unique_ptr<test::SonicSwitch> sonic;
    std::vector<std::string> stormed;
};

}  // namespace petrel::daemon

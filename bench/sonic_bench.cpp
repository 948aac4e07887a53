// The cost of watching a SONiC switch: a running agent, with a server whose counters are written as syncd writes them,
// compared with scripts in the server (sonic_scripts.hpp). Each method has its own server, because the scripts store
// their state among the counters, which slows down every search. Writing the counters costs the same for both: it is
// measured separately and subtracted.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>

#include "agent_process.hpp"
#include "base/assert.hpp"
#include "benches.hpp"
#include "private_redis.hpp"
#include "sonic_feed.hpp"

namespace petrel::bench {

namespace {

constexpr int kSonicRounds = 3;
constexpr int kPollsPerRound = 10;  // two seconds, so they include the agent's work of once a second twice
constexpr int kMostWarmUps = 20;    // rounds: if all queues are in a storm, the agent has much work at first
constexpr double kGoal = 7;         // times cheaper than the scripts

// Polls of syncd, at its interval. If a poll takes longer, the next one begins at once.
class Paced {
public:
    explicit Paced(SonicFeed& feed) : feed_(feed) {}

    template <class AfterPoll>
    void polls(int count, AfterPoll after_poll)
    {
        for (int poll = 0; poll != count; ++poll) {
            std::this_thread::sleep_until(next_);
            next_ = std::max(next_ + SonicFeed::kPoll, Clock::now());
            feed_.poll();
            after_poll();
        }
        std::this_thread::sleep_until(next_);  // also wait for the end of the last interval
    }
    void polls(int count)
    {
        polls(count, [] {});
    }

private:
    using Clock = std::chrono::steady_clock;

    SonicFeed& feed_;
    Clock::time_point next_{Clock::now()};
};

template <class CpuNow, class Work>
double least_per_poll_s(CpuNow cpu_now, Work work)
{
    double least = 1e9;
    for (int round = 0; round != kSonicRounds; ++round) {
        const double before = cpu_now();
        work();
        least = std::min(least, (cpu_now() - before) / kPollsPerRound);
    }
    return least;
}

struct Cost {
    double agent_s{};   // per poll: the agent's processor time,
    double server_s{};  // and the server's processor time for the agent
    double reads{};     // hashes read in one poll
};

class RunningAgent {
public:
    RunningAgent(const PrivateRedis& redis, SonicFeed& feed)
        : redis_(redis),
          paced_(feed),
          feeding_s_(least_per_poll_s([&] { return redis.cpu_s(); }, [&] { paced_.polls(kPollsPerRound); })),
          agent_(fmt::format("unix://{}", redis.address().path))
    {
        // Repeat until a round takes no less than the round before.
        auto before = round();
        for (int i = 0; i != kMostWarmUps; ++i) {
            const auto now = round();
            if (now.agent_s > 0.9 * before.agent_s) {
                break;
            }
            before = now;
        }
    }

    Cost round()
    {
        const double agent_s = agent_.cpu_s();
        const double server_s = redis_.cpu_s();
        paced_.polls(kPollsPerRound);
        return {(agent_.cpu_s() - agent_s) / kPollsPerRound, (redis_.cpu_s() - server_s) / kPollsPerRound - feeding_s_,
                0};
    }

    std::string log() const { return agent_.log(); }

private:
    const PrivateRedis& redis_;
    Paced paced_;
    double feeding_s_;
    AgentProcess agent_;
};

Cost cost_of_agent(const PrivateRedis& redis, SonicFeed& feed)
{
    RunningAgent agent{redis, feed};
    const auto reads = feed.calls("hmget");
    const auto words = feed.calls("publish");
    Cost least{1e9, 0, 0};
    for (int i = 0; i != kSonicRounds; ++i) {
        const auto cost = agent.round();
        least = cost.agent_s + cost.server_s < least.agent_s + least.server_s ? cost : least;
    }
    least.reads = static_cast<double>(feed.calls("hmget") - reads) / (kSonicRounds * kPollsPerRound);
    // The figures are valid only if the agent watched (it read counters) and did not mitigate (it published nothing).
    PETREL_ASSERT(least.reads > 0 && words == feed.calls("publish"), "the agent did not just watch:\n{}", agent.log());
    return least;
}

double cost_of_scripts(const PrivateRedis& redis, SonicFeed& feed)
{
    Paced paced{feed};
    const auto cpu_now = [&] { return redis.cpu_s(); };
    feed.run_scripts();  // creates the scripts' state before the writing of counters is measured
    const auto feeding_s = least_per_poll_s(cpu_now, [&] { paced.polls(kPollsPerRound); });
    return least_per_poll_s(cpu_now, [&] { paced.polls(kPollsPerRound, [&] { feed.run_scripts(); }); }) - feeding_s;
}

void measure(Report& report, std::uint32_t queues, PauseBy by, Condition condition)
{
    const auto of_agent = PrivateRedis::start();
    const auto of_scripts = PrivateRedis::start();
    if (!of_agent || !of_scripts) {
        return report.text("skipped", "redis-server is not installed");
    }
    SonicFeed watched{*of_agent, queues, by};
    watched.set(condition);
    const auto agent = cost_of_agent(*of_agent, watched);
    SonicFeed scripted{*of_scripts, queues, by};
    scripted.set(condition);
    const double scripts_s = cost_of_scripts(*of_scripts, scripted);
    const auto us_per_queue = [&](double s) { return s * 1e6 / queues; };
    report.metric("us_per_queue", us_per_queue(agent.agent_s + agent.server_s));
    report.metric("server_us_per_queue", us_per_queue(agent.server_s));
    report.metric("reads_per_queue", agent.reads / queues);
    report.metric("scripts_us_per_queue", us_per_queue(scripts_s));
    report.metric("times_cheaper", scripts_s / (agent.agent_s + agent.server_s), at_least(kGoal));
}

}  // namespace

std::vector<Bench> sonic_benches()
{
    std::vector<Bench> benches;
    for (const std::uint32_t queues : {512U, 8192U}) {
        for (const auto by : {PauseBy::time, PauseBy::state}) {
            for (const auto condition : {Condition::idle, Condition::paused, Condition::stormed}) {
                benches.push_back({fmt::format("sonic/agent/{}/{}/{}", queues, by == PauseBy::time ? "time" : "state",
                                               name(condition)),
                                   [=](Report& report) { measure(report, queues, by, condition); }});
            }
        }
    }
    return benches;
}

}  // namespace petrel::bench

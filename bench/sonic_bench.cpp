// The cost of watching a SONiC switch: a running agent, with a server whose counters are written as syncd writes them,
// compared with scripts in the server (sonic_scripts.hpp). Each method has its own server, because the scripts store
// their state among the counters, which slows down every search. Writing the counters is no part of the cost: in the
// middle of each interval another server receives the same counters, which nothing reads, and its time is subtracted.
// So other work on the machine affects both alike.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agent_process.hpp"
#include "base/assert.hpp"
#include "benches.hpp"
#include "private_redis.hpp"
#include "sonic_feed.hpp"

namespace petrel::bench {

namespace {

constexpr int kSonicRounds = 3;
constexpr int kPollsPerRound = 10;  // two seconds, so they include the agent's work of once a second twice
constexpr int kMostRounds = 10;     // rounds in which the agent skips a poll do not count
constexpr int kCalmRounds = 5;      // 10 s: after 6 s of a storm the agent reads less
constexpr int kMostWarmUps = 100;   // rounds: an agent that finds 8,192 storms at its start is busy for a minute or two
constexpr double kGoal = 7;         // times cheaper than the scripts

struct FedServer {
    const PrivateRedis& redis;
    SonicFeed& feed;
};

// Polls of syncd, at its interval. If a poll takes longer, the next one begins at once.
class Paced {
public:
    Paced(FedServer read, FedServer unread) : read_(read), unread_(unread) {}

    // The processor time of the server that is read, for one poll, without the writing of counters.
    template <class AfterPoll>
    double polls(AfterPoll after_poll)
    {
        const auto extra_s = [&] { return read_.redis.cpu_s() - unread_.redis.cpu_s(); };
        const double before = extra_s();
        for (int poll = 0; poll != kPollsPerRound; ++poll) {
            std::this_thread::sleep_until(next_);
            read_.feed.poll();
            after_poll();
            std::this_thread::sleep_until(next_ + SonicFeed::kPoll / 2);
            unread_.feed.poll();
            next_ = std::max(next_ + SonicFeed::kPoll, Clock::now());
        }
        std::this_thread::sleep_until(next_);  // also wait for the end of the last interval
        return (extra_s() - before) / kPollsPerRound;
    }

private:
    using Clock = std::chrono::steady_clock;

    FedServer read_;
    FedServer unread_;
    Clock::time_point next_{Clock::now()};
};

struct PollCost {
    double agent_s{};   // per poll: the agent's processor time,
    double server_s{};  // and the server's processor time for the agent
    double reads{};     // hashes read in one poll

    double total_s() const { return agent_s + server_s; }
};

// Hashes per queue that the agent reads at least for a poll, with a little less than one read of everything a second.
double least_reads(PauseBy by, Condition condition)
{
    constexpr double kPortsPerQueue = 0.5;
    constexpr double kOnceASecond = 1.0 / 6;
    const bool ports = by == PauseBy::time || condition == Condition::paused;
    const bool queues = by == PauseBy::state || condition == Condition::paused;
    const double by_port = ports ? 1 : condition == Condition::stormed ? kOnceASecond : 0;
    return 0.95 * (by_port * kPortsPerQueue + (queues ? 1 : kOnceASecond));
}

// While an agent confirms the storms that it found at its start, it reads more.
double most_reads(double least_reads, Condition condition)
{
    return condition == Condition::stormed ? 1.13 * least_reads : 1e9;
}

class RunningAgent {
public:
    RunningAgent(FedServer watched, FedServer unread, double least_reads, double most_reads)
        : feed_(watched.feed), paced_(watched, unread), agent_(fmt::format("unix://{}", watched.redis.address().path))
    {
        int calm = 0;  // rounds in a row in which the agent reads every poll
        for (int i = 0; i != kMostWarmUps && calm != kCalmRounds; ++i) {
            const auto reads = round().reads;
            calm = reads >= least_reads && reads <= most_reads ? calm + 1 : 0;
        }
    }

    PollCost round()
    {
        const auto reads = hashes_read();
        const double agent_s = agent_.cpu_s();
        const double server_s = paced_.polls([] {});
        PollCost cost{(agent_.cpu_s() - agent_s) / kPollsPerRound, server_s, 0};
        cost.reads = static_cast<double>(hashes_read() - reads) / kPollsPerRound;
        return cost;
    }

    std::string log() const { return agent_.log(); }

private:
    // With the few reads of time stamps.
    std::uint64_t hashes_read() { return feed_.calls("hmget") + feed_.calls("hget"); }

    SonicFeed& feed_;
    Paced paced_;
    AgentProcess agent_;
};

// None: the agent did not read every poll. Then its cost is too low.
std::optional<PollCost> cost_of_agent(FedServer watched, FedServer unread, double least_reads, double most_reads)
{
    RunningAgent agent{watched, unread, least_reads, most_reads};
    const auto words = watched.feed.calls("publish");
    std::vector<PollCost> rounds;
    for (int i = 0; i != kMostRounds && rounds.size() != kSonicRounds; ++i) {
        if (const auto cost = agent.round(); cost.reads >= least_reads) {
            rounds.push_back(cost);
        }
    }
    PETREL_ASSERT(words == watched.feed.calls("publish"), "the agent did not just watch:\n{}", agent.log());
    if (rounds.size() != kSonicRounds) {
        return std::nullopt;
    }
    std::ranges::sort(rounds, {}, &PollCost::total_s);
    return rounds[kSonicRounds / 2];
}

// Both servers have the scripts' state, which the first run creates.
double cost_of_scripts(FedServer scripted, FedServer unread)
{
    scripted.feed.run_scripts();
    unread.feed.run_scripts();
    Paced paced{scripted, unread};
    std::array<double, kSonicRounds> rounds_s{};
    for (auto& s : rounds_s) {
        s = paced.polls([&] { scripted.feed.run_scripts(); });
    }
    std::ranges::sort(rounds_s);
    return rounds_s[kSonicRounds / 2];
}

void measure(Report& report, std::uint32_t queues, PauseBy by, Condition condition)
{
    const auto of_agent = PrivateRedis::start();
    const auto of_scripts = PrivateRedis::start();
    const auto of_none = PrivateRedis::start();
    if (!of_agent || !of_scripts || !of_none) {
        return report.text("skipped", "redis-server is not installed");
    }
    SonicFeed watched{*of_agent, queues, by};
    SonicFeed scripted{*of_scripts, queues, by};
    SonicFeed unread{*of_none, queues, by};
    for (auto* feed : {&watched, &scripted, &unread}) {
        feed->set(condition);
    }
    const auto agent = cost_of_agent({*of_agent, watched}, {*of_none, unread}, least_reads(by, condition) * queues,
                                     most_reads(least_reads(by, condition) * queues, condition));
    if (!agent) {
        return report.text("skipped", "the agent did not read every poll: the machine has too much other work");
    }
    const double scripts_s = cost_of_scripts({*of_scripts, scripted}, {*of_none, unread});
    const auto us_per_queue = [&](double s) { return s * 1e6 / queues; };
    report.metric("us_per_queue", us_per_queue(agent->total_s()));
    report.metric("server_us_per_queue", us_per_queue(agent->server_s));
    report.metric("reads_per_queue", agent->reads / queues);
    report.metric("scripts_us_per_queue", us_per_queue(scripts_s));
    report.metric("times_cheaper", scripts_s / agent->total_s(), at_least(kGoal));
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

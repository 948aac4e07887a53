// How long after the start of a pause a storm is detected with jittering polls: by our agent (device, intake and
// watchdog over a real redis-server, in simulated time) and by the decision rules of SONiC's scripts on the same
// counters. Also how often pauses shorter than T0 are reported as storms, and which poll is the first that proves a
// storm.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "agent/agent.hpp"
#include "base/assert.hpp"
#include "benches.hpp"
#include "device/manual_clock.hpp"
#include "device/sonic/sonic_device.hpp"
#include "jittered_switch.hpp"
#include "private_redis.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::bench {

namespace {

using namespace std::chrono_literals;
using std::chrono::duration_cast;
using std::chrono::microseconds;

constexpr std::uint32_t kLatencyQueues = 64;
constexpr int kLatencyRounds = 16;
constexpr auto kLatencyRound = 4s;  // each queue is paused once per round
constexpr Duration kLatencyDetect = 400ms;
constexpr Duration kLatencyRestore = 400ms;
constexpr Duration kWakes = 500us;  // from the write of the last counter to the look, if the server is not busy
constexpr double kBehindMs = 20;

// Lengths of the pauses, in turns: one storm, and two pauses that are not storms. 379 ms is a little less than T0 minus
// the uncertainty of both ends (10 ms each).
constexpr std::array<Duration, 3> kLengths{1000ms, 379ms, 330ms};

using Found = std::vector<std::vector<Instant>>;  // by queue: the times at which a storm was detected

// ---- the scripts

// One queue under the rule of one script: Broadcom's adds the configured interval, Mellanox's the measured one. Without
// stamps the latter measures the times of its own runs.
class Script {
public:
    explicit Script(const JitterCase& how) : case_(how) {}

    bool poll(const Poll& poll, const QueueReading& now)
    {
        const auto at = case_.stamps ? poll.stamp : poll.written;
        const auto before = std::exchange(last_, now);
        const double elapsed_us = static_cast<double>(whole_us(at - std::exchange(at_, at)));
        if (!std::exchange(known_, true)) {
            return false;
        }
        const bool by_state = case_.asic == Asic::state_and_transitions;
        const double poll_us = static_cast<double>(whole_us(kJitteredPoll));
        const bool storm = by_state ? now.rx > before.rx && now.on2off == before.on2off && before.paused && now.paused
                                    : now.occupancy > 0 && now.tx == before.tx &&
                                          static_cast<double>(now.pause_us - before.pause_us) > 0.99 * elapsed_us;
        if (!storm) {
            left_us_ = kDetectUs;
            return false;
        }
        const bool full = by_state ? left_us_ <= poll_us : kDetectUs - left_us_ + elapsed_us > 0.99 * kDetectUs;
        left_us_ = full ? kDetectUs : left_us_ - (by_state ? poll_us : elapsed_us);
        return full;
    }

private:
    static constexpr double kDetectUs = std::chrono::duration<double, std::micro>(kLatencyDetect).count();

    JitterCase case_;
    QueueReading last_;
    Instant at_{};
    bool known_{};
    double left_us_{kDetectUs};
};

Found by_script(const JitterCase& how, const std::vector<Poll>& polls)
{
    std::vector<Script> scripts(kLatencyQueues, Script{how});
    Found found(kLatencyQueues);
    for (const auto& poll : polls) {
        for (std::uint32_t q = 0; q != kLatencyQueues; ++q) {
            if (scripts[q].poll(poll, poll.queues[q])) {
                found[q].push_back(poll.written);
            }
        }
    }
    return found;
}

// ---- the proof

// The first poll at which the counters of one queue prove a pause of T0 minus the uncertainty of stamps: no rule can
// report a storm earlier without taking shorter pauses for storms. By state, a pause is proven from the first poll that
// shows it: the counters do not show when it began after the poll before.
class Proof {
public:
    Proof(const JitterCase& how, Duration uncertainty) : case_(how), uncertainty_(uncertainty) {}

    bool poll(const Poll& poll, const QueueReading& now)
    {
        const auto at = case_.stamps ? poll.stamp : poll.written;
        const auto before = std::exchange(last_, now);
        if (!now.paused) {
            began_.reset();
            return false;
        }
        if (!began_ || now.on2off != before.on2off) {
            const auto counted = case_.asic == Asic::pause_time ? microseconds{now.pause_us - before.pause_us} : 0us;
            began_ = at - counted;
            found_ = false;
        }
        return at - *began_ >= kLatencyDetect - uncertainty_ && !std::exchange(found_, true);
    }

private:
    JitterCase case_;
    Duration uncertainty_;
    QueueReading last_;
    std::optional<Instant> began_;
    bool found_{};
};

Found by_proof(const JitterCase& how, const std::vector<Poll>& polls, Duration uncertainty)
{
    std::vector<Proof> proofs(kLatencyQueues, Proof{how, uncertainty});
    Found found(kLatencyQueues);
    for (const auto& poll : polls) {
        for (std::uint32_t q = 0; q != kLatencyQueues; ++q) {
            if (proofs[q].poll(poll, poll.queues[q])) {
                found[q].push_back(poll.written);
            }
        }
    }
    return found;
}

// ---- the agent

class SimulatedAgent {
public:
    SimulatedAgent(const PrivateRedis& redis, const JitterCase& how, const std::vector<Poll>& polls)
        : config_(redis.connect(4)),
          counters_(redis.connect(2)),
          flex_(redis.connect(5)),
          switch_(*config_, *counters_, *flex_, how, kLatencyQueues),
          polls_(polls),
          found_(kLatencyQueues)
    {
        poll_now();
        device::sonic::Settings settings{60s, 60s};
        settings.wait = [this](std::span<const int> fds, Duration most) { wait(fds, most); };
        auto opened = device::sonic::SonicDevice::open(
            sonic::at_one_address(redis.address()), DeviceId{0}, clock_, [](const std::string&) {}, settings);
        PETREL_ASSERT(opened, "{}", opened.error().what);
        device_ = std::move(*opened);
    }

    Found run()
    {
        watchdog::PolicyBook book;
        auto policy = watchdog::find_preset("sonic")->policy;
        policy.detect = kLatencyDetect;
        policy.restore = kLatencyRestore;
        policy.poll = kJitteredPoll / 4;
        policy.action = watchdog::Treatment::none;
        policy.priorities = 0xff;
        book.policies = {policy};
        book.assigned = {{}};
        auto list = watchdog::compile(book, device_->inventory(), device_->capabilities());
        PETREL_ASSERT(list, "the policy does not fit");
        watchdog::Intake intake{device_->inventory(), device_->capabilities()};
        std::vector<Slot> rows;
        for (std::uint32_t row = 0; row != device_->inventory().rows.size(); ++row) {
            rows.push_back(Slot{row});
        }
        device_->set_watched_rows(rows);
        agent::Output out;
        agent::Agent agent{std::move(*list), {}, clock_.now(), out};
        while (next_ != polls_.size()) {
            if (out.look) {
                const auto id = out.look->look;
                intake.begin();
                const auto read = device_->look(out.look->rows, intake);
                PETREL_ASSERT(read, "{}", read.error().what);
                step(agent, agent::LookDone{id, &intake.view()}, out);
            } else if (polls_[next_].written <= out.wake) {
                poll_now();
            } else {
                clock_.set(std::max(out.wake, clock_.now().mono));
                step(agent, agent::Tick{}, out);
            }
        }
        return found_;
    }

    Duration uncertainty() const { return device_->capabilities().stamp_uncertainty; }

private:
    void step(agent::Agent& agent, const agent::Input& input, agent::Output& out)
    {
        out.clear();
        agent.step(input, clock_.now(), out);
        for (const auto& event : out.box.events) {
            if (event.kind == watchdog::EventKind::storm_alert) {
                found_[event.target.port.index].push_back(clock_.now().mono);
            }
        }
    }

    void poll_now()
    {
        clock_.set(std::max(polls_[next_].written, clock_.now().mono));
        switch_.write(polls_[next_++]);
    }

    // Called when the device waits: advances simulated time, at most to the next poll.
    void wait(std::span<const int> fds, Duration most)
    {
        const auto until = clock_.now().mono + most;
        if (next_ == polls_.size() || polls_[next_].written > until) {
            clock_.set(until);
            return;
        }
        poll_now();
        device::sonic::wait_readable(fds.first(1), 10s);
        clock_.advance(kWakes);
    }

    device::ManualClock clock_;
    std::unique_ptr<redis::Connection> config_;
    std::unique_ptr<redis::Connection> counters_;
    std::unique_ptr<redis::Connection> flex_;
    JitteredSwitch switch_;
    const std::vector<Poll>& polls_;
    std::size_t next_{};
    std::unique_ptr<device::sonic::SonicDevice> device_;
    Found found_;
};

// ---- results

struct Latency {
    std::vector<double> ms;  // latency of each detected storm
    int missed{};
    std::map<Duration, int> false_storms;  // by the length of the pause

    bool has_false_storms() const
    {
        return std::ranges::any_of(false_storms, [](const auto& of_length) { return of_length.second != 0; });
    }
    double at(double share)
    {
        std::ranges::sort(ms);
        return ms.empty() ? 0 : ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
    }
};

Latency judge(const std::vector<std::vector<Pause>>& pauses, const Found& found)
{
    Latency latency;
    for (std::uint32_t q = 0; q != kLatencyQueues; ++q) {
        for (const auto& pause : pauses[q]) {
            const auto length = pause.to - pause.from;
            const auto at = std::ranges::lower_bound(found[q], pause.from);
            const bool storm = at != found[q].end() && *at < pause.to + 2 * kJitteredPoll;
            if (length < kLatencyDetect) {
                latency.false_storms[length] += storm ? 1 : 0;
            } else if (storm) {
                latency.ms.push_back(std::chrono::duration<double, std::milli>(*at - pause.from).count());
            } else {
                ++latency.missed;
            }
        }
    }
    return latency;
}

void compare(Report& report, const JitterCase& how)
{
    const auto redis = PrivateRedis::start();
    if (!redis) {
        return report.text("skipped", "redis-server is not installed");
    }
    std::mt19937_64 random{18};
    std::vector<std::vector<Pause>> pauses(kLatencyQueues);
    for (int round = 0; round != kLatencyRounds; ++round) {
        for (std::uint32_t q = 0; q != kLatencyQueues; ++q) {
            const auto begin = Instant{round * kLatencyRound + 1s + microseconds{random() % 400'000}};
            pauses[q].push_back({begin, begin + kLengths[(static_cast<std::uint32_t>(round) + q) % kLengths.size()]});
        }
    }
    const auto polls = jittered_polls(how, pauses, Instant{kLatencyRounds * kLatencyRound}, 19);
    SimulatedAgent agent{*redis, how, polls};
    auto ours = judge(pauses, agent.run());
    auto scripts = judge(pauses, by_script(how, polls));
    auto proofs = judge(pauses, by_proof(how, polls, agent.uncertainty()));
    auto& rival = scripts.has_false_storms() ? proofs : scripts;
    report.metric("uncertainty_ms", std::chrono::duration<double, std::milli>(agent.uncertainty()).count());
    report.metric("storms", static_cast<double>(ours.ms.size()) + ours.missed);
    report.metric("median_ms", ours.at(0.5), at_most(rival.at(0.5) + kBehindMs));
    report.metric("proof_median_ms", proofs.at(0.5));
    report.metric("script_median_ms", scripts.at(0.5));
    report.metric("p95_ms", ours.at(0.95), at_most(rival.at(0.95) + kBehindMs));
    report.metric("proof_p95_ms", proofs.at(0.95));
    report.metric("script_p95_ms", scripts.at(0.95));
    report.metric("missed", ours.missed, at_most(0));
    report.metric("script_missed", scripts.missed);
    for (const auto& [length, count] : ours.false_storms) {
        const auto ms = duration_cast<std::chrono::milliseconds>(length).count();
        report.metric(fmt::format("false_storms_{}ms", ms), count, at_most(0));
        report.metric(fmt::format("script_false_storms_{}ms", ms), scripts.false_storms[length]);
    }
}

}  // namespace

std::vector<Bench> latency_benches()
{
    std::vector<Bench> benches;
    const std::array jitters{Jitter{"0.3ms", 300us, 0}, Jitter{"2ms", 2ms, 0}, Jitter{"5ms", 5ms, 0},
                             Jitter{"40percent", 300us, 0.4}};
    for (const auto asic : {Asic::state_and_transitions, Asic::pause_time}) {
        for (const bool stamps : {true, false}) {
            for (const auto& jitter : jitters) {
                benches.push_back({fmt::format("latency/{}/{}/{}", asic == Asic::pause_time ? "pause_time" : "state",
                                               stamps ? "stamps" : "no_stamps", jitter.name),
                                   [=](Report& report) { compare(report, {asic, stamps, jitter}); }});
            }
        }
    }
    return benches;
}

}  // namespace petrel::bench

// The law of replay: in a recording with inexact stamps, a storm that is long enough is found, or the replay states
// that the recording is too coarse. Recordings are random: stamps that are late by up to a whole poll, coarse clocks,
// looks at irregular times, missing rows and several ports, with every kind of signal.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "codec/trace_reader.hpp"
#include "device/replay/pace.hpp"
#include "runtime/replay.hpp"
#include "support/world.hpp"
#include "words/words.hpp"

namespace petrel::runtime {
namespace {

using test::Span;
using test::Truth;
using watchdog::EventKind;

constexpr std::int64_t kMs = 1000;
constexpr std::int64_t kSecond = 1000 * kMs;

enum class Signals {
    duration,
    duration_and_ended,
    duration_and_state,
    state,
    ends_and_transitions,
    frames,
    progress,
    nic_duration,
    nic_frames,
    count_
};

// Where the stamps are: in time_us, where a recorder drops a row whose stamp is not new, or in sampled_us.
enum class Stamps { of_recorder, of_device };

struct Recording {
    std::int64_t poll{};
    std::int64_t irregular{};  // looks are late by up to this; their stamps are exact
    std::int64_t jitter{};     // stamps are late by up to this
    std::int64_t tick{1};      // of the clock that makes the stamps
    int missing_percent{};
    Signals signals{};
    Stamps stamps{};
    std::vector<Truth> queues;
    std::int64_t end{};
};

struct Recorded {
    std::string csv;
    std::vector<std::vector<std::int64_t>> reads;  // of each queue: when it was really read
};

std::string_view columns_of(Signals signals)
{
    switch (signals) {
    case Signals::duration: return "pause_us";
    case Signals::duration_and_ended: return "pause_us,on2off";
    case Signals::duration_and_state: return "pause_us,pause_state";
    case Signals::state: return "pause_state";
    case Signals::ends_and_transitions: return "paused_now,on2off";
    case Signals::frames: return "paused_now,rx_xoff,rx_xon,speed_bps";
    case Signals::progress: return "pause_us,occupancy_bytes,tx_packets";
    case Signals::nic_duration: return "pause_tx_us,rx_packets";
    case Signals::nic_frames: return "pause_tx,rx_packets,speed_bps";
    case Signals::count_: break;
    }
    return "";
}

bool of_port(Signals signals) { return signals == Signals::nic_duration || signals == Signals::nic_frames; }

std::string_view policy_of(Signals signals)
{
    return of_port(signals) ? "rdma-nic" : signals == Signals::progress ? "progress" : "sonic";
}

std::string cells(Signals signals, const Truth& queue, std::int64_t since, std::int64_t now)
{
    const bool paused = queue.paused_at(now);
    const std::string_view state = !paused                               ? "not_paused"
                                   : queue.paused_throughout(since, now) ? "paused"
                                                                         : "paused_not_continuous";
    const auto pause_us = queue.pause_us(now);
    const auto packets = (now - pause_us) / 10;
    switch (signals) {
    case Signals::duration: return fmt::format("{}", pause_us);
    case Signals::duration_and_ended: return fmt::format("{},{}", pause_us, queue.ended(now));
    case Signals::duration_and_state: return fmt::format("{},{}", pause_us, state);
    case Signals::state: return std::string{state};
    case Signals::ends_and_transitions: return fmt::format("{:d},{}", paused, queue.ended(now));
    case Signals::frames: return fmt::format("{:d},{},{},100000000000", paused, queue.xoff(now), queue.ended(now));
    case Signals::progress: return fmt::format("{},{:d},{}", pause_us, paused, packets);
    case Signals::nic_duration: return fmt::format("{},{}", pause_us, packets);
    case Signals::nic_frames: return fmt::format("{},{},100000000000", queue.xoff(now), packets);
    case Signals::count_: break;
    }
    return "";
}

// One number from rapidcheck decides all others: a recording has thousands of them.
class Chance {
public:
    explicit Chance(std::uint32_t seed) : random_(seed) {}

    std::int64_t up_to(std::int64_t most) { return between(0, most); }
    std::int64_t between(std::int64_t least, std::int64_t most)
    {
        return std::uniform_int_distribution<std::int64_t>{least, most}(random_);
    }
    template <class T>
    T one_of(std::initializer_list<T> values)
    {
        return values.begin()[up_to(static_cast<std::int64_t>(values.size()) - 1)];
    }

private:
    std::mt19937 random_;
};

Recorded record(const Recording& plan, Chance& chance)
{
    Recorded recorded{fmt::format("time_us,sampled_us,port,queue,{}\n", columns_of(plan.signals)), {}};
    recorded.reads.resize(plan.queues.size());
    std::vector<std::int64_t> last_stamp(plan.queues.size(), -1);
    std::vector<std::int64_t> last_time(plan.queues.size(), -1);
    for (std::int64_t look = 0; look < plan.end; look += plan.poll) {
        const auto now = look + chance.up_to(plan.irregular);
        for (std::size_t q = 0; q != plan.queues.size(); ++q) {
            const auto stamp = std::max((now + chance.up_to(plan.jitter)) / plan.tick * plan.tick, last_stamp[q]);
            const auto time = plan.stamps == Stamps::of_device ? now : stamp;
            if (chance.up_to(99) < plan.missing_percent || time <= last_time[q]) {
                continue;
            }
            const auto since = last_stamp[q] < 0 ? now : recorded.reads[q].back();
            last_stamp[q] = stamp;
            last_time[q] = time;
            recorded.reads[q].push_back(now);
            recorded.csv += fmt::format(
                "{},{},Ethernet{},{},{}\n", time, plan.stamps == Stamps::of_device ? std::to_string(stamp) : "", q,
                of_port(plan.signals) ? "" : "3", cells(plan.signals, plan.queues[q], since, now));
        }
    }
    return recorded;
}

Replayed replayed(const Recording& plan, const Recorded& recorded, Duration detect)
{
    auto trace = codec::read_trace(recorded.csv, "trace.csv");
    RC_ASSERT(trace.has_value());
    RC_ASSERT(trace->devices.size() == 1U);
    auto& device = trace->devices[0];
    const auto pace = device::pace_of(device);
    device.capabilities.stamp_uncertainty = pace.jitter;
    RC_LOG() << "jitter " << whole_us(pace.jitter) << " interval " << whole_us(pace.interval) << '\n';
    auto policy = watchdog::find_preset(policy_of(plan.signals))->policy;
    policy.detect = detect;
    policy.poll = std::chrono::microseconds{plan.poll};
    auto result = replay(device, pace, test::book_of(policy));
    RC_ASSERT(result.has_value());
    return std::move(*result);
}

bool found(const Replayed& result, std::size_t queue)
{
    const auto& ports = result.watchlist.inventory.ports;
    return std::ranges::any_of(result.events, [&](const watchdog::Event& event) {
        return begins_storm(event.kind) && ports[event.target.port.index].name == fmt::format("Ethernet{}", queue);
    });
}

std::int64_t largest_gap(const std::vector<std::int64_t>& reads, std::int64_t from, std::int64_t to)
{
    std::int64_t last = 0;
    std::int64_t gap = 0;
    for (const auto read : reads) {
        if (last <= to && read >= from) {
            gap = std::max(gap, read - last);
        }
        last = read;
    }
    return gap;
}

struct Case {
    Recording plan;
    std::int64_t detect{};
    std::size_t stormed{};
    Span storm;
};

// The storm is as long as the recording may need, if its stamps are off by what the plan states.
Case any_case(Chance& chance)
{
    Case made;
    auto& plan = made.plan;
    plan.signals = static_cast<Signals>(chance.up_to(static_cast<int>(Signals::count_) - 1));
    plan.stamps = chance.one_of({Stamps::of_recorder, Stamps::of_device});
    plan.poll = chance.one_of<std::int64_t>({10, 20, 50, 100, 130, 200, 500, 1000}) * kMs + chance.up_to(999);
    plan.jitter = chance.one_of<std::int64_t>({0, plan.poll / 50, plan.poll / 6, plan.poll / 3, plan.poll});
    plan.jitter = chance.between(plan.jitter / 2, plan.jitter);
    plan.irregular = chance.one_of<std::int64_t>({0, 0, 0, plan.poll / 3});
    plan.tick = chance.one_of<std::int64_t>({1, 1, kMs, 10 * kMs, kSecond});
    plan.missing_percent = chance.one_of({0, 0, 5, 30});
    made.detect = std::clamp<std::int64_t>(chance.between(1, 10) * plan.poll / kMs, 100, 5000) * kMs;
    const auto error = plan.jitter + plan.tick;
    const auto ports = static_cast<std::size_t>(chance.between(1, 4));
    made.stormed = static_cast<std::size_t>(chance.up_to(static_cast<std::int64_t>(ports) - 1));
    for (std::size_t port = 0; port != ports; ++port) {
        std::vector<Span> pauses;
        for (std::int64_t at = plan.poll; at < 30 * plan.poll;) {
            const auto length = chance.between(1, plan.poll / 2);
            pauses.push_back({at, at + length});
            at += length + chance.between(plan.poll / 10, 3 * plan.poll);
        }
        if (port == made.stormed) {
            const auto from = pauses.back().to + chance.between(1, 10 * plan.poll);
            made.storm = {from, from + 2 * made.detect + 12 * std::max(plan.poll, plan.tick) + 4 * error};
            pauses.push_back(made.storm);
        }
        plan.queues.emplace_back(std::move(pauses));
    }
    plan.end = made.storm.to + 20 * plan.poll;
    return made;
}

RC_GTEST_PROP(ReplayLaw, AStormThatIsLongEnoughIsNeverHiddenInSilence, ())
{
    Chance chance{*rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()))};
    const auto [plan, detect, stormed, storm] = any_case(chance);
    const auto recorded = record(plan, chance);
    // A gap in the rows hides what happens in it: the storm has to be longer.
    RC_PRE(storm.to - storm.from >
           detect + 2 * largest_gap(recorded.reads[stormed], storm.from, storm.to) + 2 * (plan.jitter + plan.tick));
    const auto result = replayed(plan, recorded, std::chrono::microseconds{detect});
    RC_LOG() << "signals " << static_cast<int>(plan.signals) << " stamps " << static_cast<int>(plan.stamps) << " poll "
             << plan.poll << " irregular " << plan.irregular << " jitter " << plan.jitter << " tick " << plan.tick
             << " missing " << plan.missing_percent << " detect " << detect << " storm " << storm.from << ".."
             << storm.to << '\n';
    RC_CLASSIFY(found(result, stormed), "found");
    RC_CLASSIFY(!result.unjudged.empty(), "too coarse");
    RC_ASSERT(found(result, stormed) || !result.unjudged.empty());
}

// Telemetry as it usually is: the storm is found, nothing else is one, and no policy is given up.
RC_GTEST_PROP(ReplayLaw, SmallJitterHidesNothingAndAddsNothing, ())
{
    Chance chance{*rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()))};
    auto [plan, detect, stormed, storm] = any_case(chance);
    plan.irregular = 0;
    plan.jitter = chance.up_to(plan.poll / 50);
    plan.tick = chance.one_of<std::int64_t>({1, std::min(kMs, plan.poll / 50)});
    plan.missing_percent = chance.one_of({0, 5});
    detect = std::max(detect, 4 * plan.poll);
    const auto recorded = record(plan, chance);
    RC_PRE(storm.to - storm.from > detect + 2 * largest_gap(recorded.reads[stormed], storm.from, storm.to));
    const auto result = replayed(plan, recorded, std::chrono::microseconds{detect});
    RC_LOG() << "signals " << static_cast<int>(plan.signals) << " poll " << plan.poll << " detect " << detect << '\n';
    RC_ASSERT(result.unjudged.empty());
    for (std::size_t queue = 0; queue != plan.queues.size(); ++queue) {
        RC_ASSERT(found(result, queue) == (queue == stormed));
    }
}

}  // namespace
}  // namespace petrel::runtime

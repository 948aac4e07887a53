#include "runtime/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "device/replay/too_coarse.hpp"
#include "watchdog/intake.hpp"

namespace petrel::runtime {
namespace {

Now moment(Instant at) { return {at, WallTime{std::chrono::floor<std::chrono::microseconds>(at.time_since_epoch())}}; }

class Replay {
public:
    Replay(const device::DeviceTrace& trace, watchdog::Watchlist watchlist, Instant start)
        : trace_(trace),
          intake_(trace.inventory, trace.capabilities),
          phases_(trace.inventory.rows.size()),
          was_blind_(trace.inventory.rows.size()),
          agent_(std::move(watchlist), agent::Start{}, moment(start), output_)
    {
        collect();
        settle(start);
        for (std::uint32_t row = 0; row < phases_.size(); ++row) {
            phases_[row] = agent_.watchdog().phase(Slot{row});
            result_.phases.push_back({Slot{row}, start, phases_[row]});
        }
    }

    void run()
    {
        for (std::size_t row = 0; row < trace_.samples.size();) {
            row = look(row);
        }
    }

    Replayed finish(Instant end)
    {
        result_.device = trace_.device;
        result_.watchlist = agent_.watchdog().watchlist();
        note_blind_rows();
        for (std::uint32_t row = 0; row < phases_.size(); ++row) {
            result_.stats.push_back(agent_.watchdog().stats(Slot{row}, end));
        }
        result_.last_phase = std::move(phases_);
        return std::move(result_);
    }

private:
    // Performs one look: all samples with the time of `first`. Returns the index where the next look begins.
    std::size_t look(std::size_t first)
    {
        const auto time_us = trace_.time_us[first];
        const auto now = instant_from_us(time_us);
        run_timers(now);
        intake_.begin();
        auto next = first;
        for (; next < trace_.samples.size() && trace_.time_us[next] == time_us; ++next) {
            intake_.put(trace_.samples[next]);
        }
        follow_blind_rows();
        overflowed_ = false;
        step(agent::LookDone{std::exchange(wanted_look_, 0), &intake_.view()}, now);
        settle(now);
        while (std::exchange(overflowed_, false)) {  // emit what did not fit into the outbox now, not at the next look
            step(agent::Tick{}, now);
            settle(now);
        }
        note_phases(now);
        return next;
    }

    // Runs the wake-ups before the next look. If the agent requests no later wake-up, it waits for a look: stop here.
    void run_timers(Instant before)
    {
        while (output_.wake < before) {
            const auto now = output_.wake;
            step(agent::Tick{}, now);
            settle(now);
            note_phases(now);
            if (output_.wake <= now) {
                return;
            }
        }
    }

    void settle(Instant now)
    {
        while (!commands_.empty()) {
            const auto command = commands_.front();
            commands_.pop_front();
            step(watchdog::Outcome{command.id, watchdog::Verdict::confirmed, command.want, now, {}}, now);
        }
    }

    void step(const agent::Input& input, Instant now)
    {
        output_.clear();
        agent_.step(input, moment(now), output_);
        overflowed_ = overflowed_ || output_.box.overflowed;
        collect();
    }

    void collect()
    {
        if (output_.look) {
            wanted_look_ = output_.look->look;
        }
        commands_.insert(commands_.end(), output_.box.commands.begin(), output_.box.commands.end());
        result_.events.insert(result_.events.end(), output_.box.events.begin(), output_.box.events.end());
    }

    void note_phases(Instant now)
    {
        for (std::uint32_t row = 0; row < phases_.size(); ++row) {
            const auto phase = agent_.watchdog().phase(Slot{row});
            if (phase != phases_[row]) {
                phases_[row] = phase;
                result_.phases.push_back({Slot{row}, now, phase});
            }
        }
    }

    void follow_blind_rows()
    {
        const auto& blind = intake_.blind_rows();
        if (std::exchange(blind_changes_, blind.changes()) == blind.changes()) {
            return;
        }
        for (std::uint32_t row = 0; row < was_blind_.size(); ++row) {
            was_blind_[row] = was_blind_[row] || blind.contains(Slot{row});
        }
    }

    // Names one of them for each policy.
    void note_blind_rows()
    {
        const auto& list = result_.watchlist;
        for (std::size_t policy = 0; policy < list.policies.size(); ++policy) {
            const auto is_blind = [&](std::uint32_t row) { return was_blind_[row] && list.rows[row].policy == policy; };
            std::optional<std::uint32_t> first;
            std::size_t count = 0;
            for (std::uint32_t row = 0; row < was_blind_.size(); ++row) {
                count += is_blind(row) ? 1U : 0U;
                first = !first && is_blind(row) ? row : first;
            }
            if (first) {
                result_.unjudged.push_back(fmt::format(
                    "{}: at {} of the queues of {}, the first is {}, counters start again or stamps go backwards at "
                    "most looks: no storm can be proven there",
                    list.policies[policy].name, count, trace_.device,
                    to_string(list.inventory, list.inventory.rows[*first].target)));
            }
        }
    }

    const device::DeviceTrace& trace_;
    watchdog::Intake intake_;
    std::vector<watchdog::Phase> phases_;
    std::vector<bool> was_blind_;
    std::uint64_t blind_changes_{};
    Replayed result_;
    std::deque<watchdog::Command> commands_;
    std::uint64_t wanted_look_{};
    bool overflowed_{};
    agent::Output output_;
    agent::Agent agent_;
};

}  // namespace

Parsed<Replayed> replay(const device::DeviceTrace& trace, const device::Pace& pace, const watchdog::PolicyBook& book)
{
    auto watchlist = watchdog::compile(book, trace.inventory, trace.capabilities);
    if (!watchlist) {
        return tl::unexpected(std::move(watchlist.error()));
    }
    const auto start = trace.time_us.empty() ? Instant{} : instant_from_us(trace.time_us.front());
    const auto end = trace.time_us.empty() ? Instant{} : instant_from_us(trace.time_us.back());
    Replay replay(trace, std::move(*watchlist), start);
    replay.run();
    auto replayed = replay.finish(end);
    const auto unjudged = device::too_coarse(trace, pace, replayed.watchlist, replayed.stats);
    replayed.unjudged.insert(replayed.unjudged.begin(), unjudged.begin(), unjudged.end());
    return replayed;
}

}  // namespace petrel::runtime

// The nine PFC watchdog detectors that SONiC ships, one per vendor, as a behaviour table: what each takes for a storm,
// how much time it counts for a poll, and what it does with the port's previous counters when it fires. Written from
// their observed behaviour, so that the same traces can be run through them and through ours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace petrel::peers {

// One poll of one queue, counters cumulative.
struct Reading {
    std::uint64_t at_us{};
    std::uint64_t rx{};      // PFC frames, XOFF and XON alike
    std::uint64_t on2off{};  // pauses that ended
    std::uint64_t tx{};
    std::uint64_t dur_us{};  // time paused
    std::uint32_t occ{};
    bool paused{};
};

struct Timers {
    std::uint64_t detect_us{};
    std::uint64_t restore_us{};
    std::uint64_t poll_us{};  // as configured; the real period may differ
    bool alert{};
};

// The input of a predicate: differences over the interval, levels at its ends.
struct Interval {
    std::uint64_t rx{};
    std::uint64_t on2off{};
    std::uint64_t tx{};
    std::uint64_t dur_us{};
    std::uint32_t occ{};
    bool was_paused{};
    bool is_paused{};
    std::uint64_t poll_us{};     // as configured
    std::uint64_t elapsed_us{};  // by the stamps
};

enum class Charge : std::uint8_t {
    nominal,  // the configured period, however long the poll really took
    measured  // the time between the stamps, with a tolerance of 1 % of the detection time
};

// The port's previous counters at the poll that fires. They are not refreshed while the queue is in a storm, except the
// frame counter, which the restore rule updates.
enum class PortLast : std::uint8_t {
    unused,      // the predicate uses no differences
    refreshed,   // saved as on any poll
    deleted,     // the next poll of the detector only saves them
    not_updated  // still those of the poll before
};

enum class QuietRule : std::uint8_t { no_frames, not_paused };

struct Peer {
    std::string_view name;
    bool (*storm)(const Interval&);
    Charge charge{};
    PortLast at_storm{};
    QuietRule quiet{};
};

namespace predicate {

inline bool mostly_paused(const Interval& i) { return 10 * i.dur_us > 8 * i.poll_us; }
inline bool stuck(const Interval& i) { return i.occ > 0 && i.tx == 0; }
inline bool idle(const Interval& i) { return i.occ == 0 && i.tx == 0; }

inline bool held_at_both_ends(const Interval& i) { return i.rx > 0 && i.on2off == 0 && i.was_paused && i.is_paused; }
inline bool stuck_all_the_time(const Interval& i) { return stuck(i) && 100 * i.dur_us > 99 * i.elapsed_us; }
inline bool paused_now(const Interval& i) { return i.is_paused; }
inline bool stuck_with_frames(const Interval& i) { return stuck(i) && i.rx > 0; }
inline bool stuck_with_frames_or_idle_and_paused(const Interval& i)
{
    return stuck_with_frames(i) || (idle(i) && mostly_paused(i));
}
inline bool paused_with_frames(const Interval& i) { return (stuck(i) || i.occ == 0) && i.rx > 0 && mostly_paused(i); }

}  // namespace predicate

inline constexpr std::array<Peer, 9> kPeers{{
    {"broadcom", predicate::held_at_both_ends, Charge::nominal, PortLast::refreshed, QuietRule::no_frames},
    {"mellanox", predicate::stuck_all_the_time, Charge::measured, PortLast::deleted, QuietRule::no_frames},
    {"cisco-8000", predicate::paused_now, Charge::nominal, PortLast::unused, QuietRule::not_paused},
    {"vs", predicate::stuck_with_frames_or_idle_and_paused, Charge::nominal, PortLast::deleted, QuietRule::no_frames},
    {"barefoot", predicate::stuck_with_frames_or_idle_and_paused, Charge::nominal, PortLast::deleted,
     QuietRule::no_frames},
    {"nephos", predicate::stuck_with_frames_or_idle_and_paused, Charge::nominal, PortLast::refreshed,
     QuietRule::no_frames},
    {"clounix", predicate::stuck_with_frames_or_idle_and_paused, Charge::nominal, PortLast::refreshed,
     QuietRule::no_frames},
    {"prestera", predicate::stuck_with_frames, Charge::nominal, PortLast::refreshed, QuietRule::no_frames},
    {"teralynx", predicate::paused_with_frames, Charge::nominal, PortLast::not_updated, QuietRule::no_frames},
}};

// What is published at a poll.
struct Decision {
    bool storm{};
    bool restore{};
};

// One queue under one peer. At each poll the detect rule runs, then the restore rule. What they publish changes the
// queue's status only afterwards, since another process carries out the action.
class PeerDetector {
public:
    PeerDetector(const Peer& peer, const Timers& timers)
        : peer_(peer), timers_(timers), detect_left_us_(timers.detect_us), restore_left_us_(timers.restore_us)
    {}

    Decision poll(const Reading& now)
    {
        Decision decision;
        if (!stormed_ || timers_.alert) {
            decision = detect(now);
        } else {
            decision.restore = quiet_long_enough(now);
        }
        stamp_us_ = now.at_us;
        stormed_ = (stormed_ || decision.storm) && !decision.restore;
        return decision;
    }

private:
    Decision detect(const Reading& now)
    {
        Decision decision;
        const auto interval = since_last(now);
        if (interval && peer_.storm(*interval)) {
            decision.storm = charge(*interval);
        } else if (interval) {
            decision.restore = timers_.alert && stormed_;  // an alert ends with the first poll that shows no storm
            detect_left_us_ = timers_.detect_us;
        }
        save(now, decision.storm);
        return decision;
    }

    std::optional<Interval> since_last(const Reading& now) const
    {
        if (peer_.at_storm == PortLast::unused) {
            return Interval{.is_paused = now.paused};
        }
        if (!has_rx_ || !has_port_) {
            return std::nullopt;
        }
        return Interval{now.rx - last_rx_,
                        now.on2off - last_port_.on2off,
                        now.tx - last_queue_.tx,
                        now.dur_us - last_port_.dur_us,
                        now.occ,
                        last_queue_.paused,
                        now.paused,
                        timers_.poll_us,
                        now.at_us - stamp_us_};
    }

    // Subtracts the poll's time from the remaining detection time; true when none is left.
    bool charge(const Interval& interval)
    {
        bool full = false;
        std::uint64_t time_us = timers_.poll_us;
        if (peer_.charge == Charge::nominal) {
            full = detect_left_us_ <= time_us;
        } else {
            time_us = interval.elapsed_us;
            full = 100 * (timers_.detect_us - detect_left_us_ + time_us) > 99 * timers_.detect_us;
        }
        detect_left_us_ = full ? timers_.detect_us : detect_left_us_ - time_us;
        return full;
    }

    void save(const Reading& now, bool fired)
    {
        last_queue_ = now;
        if (fired && peer_.at_storm == PortLast::deleted) {
            has_rx_ = has_port_ = false;
        } else if (!fired || peer_.at_storm != PortLast::not_updated) {
            last_rx_ = now.rx;
            last_port_ = now;
            has_rx_ = has_port_ = true;
        }
    }

    bool quiet_long_enough(const Reading& now)
    {
        const bool no_frames = has_rx_ && now.rx == last_rx_;
        const bool quiet = peer_.quiet == QuietRule::not_paused ? !now.paused : no_frames;
        last_rx_ = now.rx;
        has_rx_ = true;
        if (!quiet) {
            restore_left_us_ = timers_.restore_us;
            return false;
        }
        if (restore_left_us_ > timers_.poll_us) {
            restore_left_us_ -= timers_.poll_us;
            return false;
        }
        restore_left_us_ = timers_.restore_us;
        return true;
    }

    const Peer& peer_;
    Timers timers_;
    std::uint64_t detect_left_us_;
    std::uint64_t restore_left_us_;
    bool stormed_{};
    std::uint64_t stamp_us_{};
    std::uint64_t last_rx_{};  // separate, since detect and restore both write it
    Reading last_port_;        // on2off and dur_us are compared with it
    Reading last_queue_;       // tx and paused are compared with it
    bool has_rx_{};
    bool has_port_{};
};

}  // namespace petrel::peers

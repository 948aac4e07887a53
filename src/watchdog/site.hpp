// The place where a treatment is applied: a queue, or a port for all its queues. The machine sets the treatment that a
// site wants, and the site repeats the command until the device shows it. The reason for a treatment is kept in the
// rows.
//
//   settled --want changes--> due --command--> in flight --confirmed, accepted--> settled
//                              ^                  |
//                              +--back-off--------+ refused, failed, differs, timed out: an event
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "watchdog/event.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::watchdog {

struct Failure {
    Reason why{};
    Treatment wanted{};
};

class Site {
public:
    Treatment want() const { return want_; }
    Treatment assumed() const { return assumed_; }
    bool changes() const { return want_ != assumed_; }  // false: a command only confirms what is assumed
    bool settled() const { return want_ == assumed_ && sure_ && in_flight_ == 0 && !failure_; }
    bool in_flight() const { return in_flight_ != 0; }
    bool late() const { return late_; }
    Instant retry_at() const { return in_flight() ? deadline_ : (held_back() ? kNever : retry_at_); }

    // The outcome (timed_out) of a command in flight whose deadline has passed.
    std::optional<Outcome> lost(Instant now) const
    {
        if (!in_flight() || now < deadline_) {
            return std::nullopt;
        }
        return Outcome{in_flight_, Verdict::timed_out, {}, now, {}};
    }
    std::uint64_t cause() const { return cause_; }
    bool refused(Treatment t) const { return has(refused_, t); }

    void set_want(Treatment treatment, std::uint64_t cause, Instant now)
    {
        if (treatment == want_) {
            return;
        }
        want_ = treatment;
        cause_ = cause;
        attempts_ = 0;
        hold_back_ = false;
        retry_at_ = now;
    }

    // Sets the treatment that the device shows; nullopt = not known.
    void assume(std::optional<Treatment> in_effect, Instant now)
    {
        sure_ = in_effect.has_value();
        assumed_ = in_effect.value_or(assumed_);
        retry_at_ = now;
    }

    // The device may have accepted a treatment that it does not show yet.
    void expect_late_treatment() { late_ = true; }

    void forget_refusals() { refused_ = 0; }

    // While `on`, a treatment that has failed is not tried again.
    void hold_back(bool on) { hold_back_ = on; }

    bool due(Instant now) const
    {
        return in_flight_ == 0 && !(want_ == assumed_ && sure_) && now >= retry_at_ && !held_back();
    }

    void sent(std::uint64_t command, Instant deadline)
    {
        in_flight_ = command;
        deadline_ = deadline;
        commanded_ = want_;
    }

    // Gives up the command in flight: its outcome will not arrive.
    void lose_track(Instant now)
    {
        if (in_flight_ != 0) {
            in_flight_ = 0;
            assume(std::nullopt, now);
        }
    }

    bool settle(const Outcome& outcome, Duration base, Instant now)
    {
        if (outcome.command != in_flight_) {
            return false;  // the outcome of a command that was given up
        }
        in_flight_ = 0;
        switch (outcome.verdict) {
        case Verdict::confirmed:
        case Verdict::accepted:
            assumed_ = commanded_;
            sure_ = true;
            late_ = false;
            unverified_us_ = outcome.verdict == Verdict::accepted && commanded_ != Treatment::none ? 1 : 0;
            attempts_ = 0;
            return true;
        case Verdict::refused:
            if (commanded_ != Treatment::none) {
                refused_ |= bit(commanded_);
            }
            break;
        case Verdict::differs:
            assumed_ = outcome.in_effect;
            sure_ = false;  // the device accepted the write, which may still take effect
            late_ = late_ || commanded_ != Treatment::none;
            break;
        case Verdict::failed:
        case Verdict::timed_out: sure_ = false; break;
        }
        back_off(base, now);
        const bool again = std::exchange(timed_out_, outcome.verdict == Verdict::timed_out) && timed_out_;
        if (!again || is_news_again()) {
            failure_ = Failure{why(outcome.verdict), commanded_};
        }
        return true;
    }

    // A treatment that the device accepted without read-back must show an effect on the queues. Several queues of a
    // port report the same interval: it counts once per look.
    void watch_effect(bool stuck, std::uint32_t dt_us, Duration patience, Duration base, Instant now)
    {
        if (unverified_us_ == 0) {
            return;
        }
        if (!stuck) {
            unverified_us_ = 0;
            return;
        }
        if (effect_watched_at_ != now) {
            unverified_us_ += dt_us;
            effect_watched_at_ = now;
        }
        if (std::chrono::microseconds{unverified_us_} >= patience) {
            unverified_us_ = 0;
            sure_ = false;
            failure_ = Failure{Reason::no_effect, assumed_};
            back_off(base, now);
        }
    }

    const std::optional<Failure>& failure() const { return failure_; }
    void failure_reported() { failure_.reset(); }

private:
    bool held_back() const { return hold_back_ && attempts_ != 0 && want_ > assumed_; }

    static Reason why(Verdict verdict)
    {
        switch (verdict) {
        case Verdict::refused: return Reason::refused;
        case Verdict::differs: return Reason::differs;
        case Verdict::timed_out: return Reason::timed_out;
        case Verdict::confirmed:
        case Verdict::accepted:
        case Verdict::failed: break;
        }
        return Reason::failed;
    }

    // Of time-outs one after the other the first is an event, then the 8th, 16th, 32nd ... try: a device that is slower
    // than its storms would otherwise fill the log.
    bool is_news_again() const { return attempts_ == 1 || (attempts_ >= 8 && std::has_single_bit(attempts_)); }

    void back_off(Duration base, Instant now)
    {
        constexpr Duration kLongest = std::chrono::seconds{10};
        retry_at_ = now + std::min(base * (1 << std::min(attempts_, 10U)), kLongest);
        ++attempts_;
    }

    Treatment want_{};
    Treatment assumed_{};
    Treatment commanded_{};
    bool sure_{true};
    bool late_{};  // the device may have accepted a treatment that it does not show yet
    bool hold_back_{};
    std::uint32_t attempts_{};
    bool timed_out_{};  // the last command that has ended
    Treatments refused_{};
    std::uint64_t in_flight_{};
    std::uint64_t cause_{};
    std::uint64_t unverified_us_{};  // zero = verified; else the time without a visible effect
    Instant effect_watched_at_;
    Instant retry_at_;
    Instant deadline_;
    std::optional<Failure> failure_;
};

}  // namespace petrel::watchdog

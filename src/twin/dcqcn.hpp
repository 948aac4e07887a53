// DCQCN's reaction point: the rate of one flow. Notifications cut the rate. Time and bytes sent raise it again: first
// halfway to its old value at a time, then by fixed steps, then by larger steps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "twin/config.hpp"

namespace petrel::twin {

class RateControl {
public:
    RateControl(const Dcqcn& parameters, BitRate line)
        : set_{&parameters}, line_{static_cast<double>(line.bps)}, current_{line_}, target_{line_}
    {}

    const Dcqcn& set() const { return *set_; }
    double bps() const { return current_; }
    bool limited() const { return current_ < line_; }

    // The speed of the line has changed. A flow at line rate stays at line rate; a rate that was cut recovers as
    // before.
    void set_line(BitRate line)
    {
        const bool whole = !limited();
        line_ = static_cast<double>(line.bps);
        current_ = whole ? line_ : std::min(current_, line_);
        target_ = whole ? line_ : std::min(target_, line_);
    }

    // Returns true if the rate was cut: the caller restarts the increase timer.
    bool notified(Ps now)
    {
        if (notified_once_)
            decay_alpha(now - notified_at_);
        const bool cuts = !notified_once_ || now - cut_at_ >= set_->cut_interval;
        notified_once_ = true;
        notified_at_ = now;
        if (!cuts)
            return false;
        cut_at_ = now;
        ++cuts_;
        target_ = current_;
        current_ = std::max(current_ * (1 - alpha_ / 2), static_cast<double>(set_->floor.bps));
        alpha_ = (1 - set_->g) * alpha_ + set_->g;
        timer_steps_ = 0;
        byte_steps_ = 0;
        bytes_ = 0;
        return true;
    }

    std::uint8_t cuts() const { return cuts_; }  // modulo 256: a timer of an older cut is ignored

    void increase_timer()
    {
        ++timer_steps_;
        increase();
    }

    // Returns true if the rate was raised.
    bool sent(std::uint32_t bytes)
    {
        if (!limited())
            return false;
        bytes_ += bytes;
        if (bytes_ < set_->increase_bytes)
            return false;
        bytes_ -= set_->increase_bytes;
        ++byte_steps_;
        increase();
        return true;
    }

private:
    static constexpr std::uint32_t kFastSteps = 5;
    static constexpr double kForgotten = 1e-9;

    // Applies the steps of the alpha timer for the time without a notification.
    void decay_alpha(Ps quiet)
    {
        for (Ps steps = quiet / set_->alpha_timer; steps != 0 && alpha_ > kForgotten; --steps)
            alpha_ *= 1 - set_->g;
    }

    void increase()
    {
        if (std::min(timer_steps_, byte_steps_) > kFastSteps)
            target_ += static_cast<double>(set_->hyper.bps);
        else if (std::max(timer_steps_, byte_steps_) > kFastSteps)
            target_ += static_cast<double>(set_->additive.bps);
        target_ = std::min(target_, line_);
        current_ = std::min((target_ + current_) / 2, line_);
        if (line_ - current_ < 1e-6 * line_)
            current_ = line_;
    }

    const Dcqcn* set_;
    double line_;
    double current_;
    double target_;
    double alpha_{1};
    Ps notified_at_{};
    Ps cut_at_{};
    bool notified_once_{};
    std::uint8_t cuts_{};
    std::uint32_t timer_steps_{};
    std::uint32_t byte_steps_{};
    std::uint64_t bytes_{};
};

}  // namespace petrel::twin

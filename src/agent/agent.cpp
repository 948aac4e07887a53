#include "agent/agent.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "agent/reconcile.hpp"

namespace petrel::agent {

namespace {

// The most requested looks that are kept between two polls. Further rows are read by the next poll.
constexpr std::size_t kLooksKept = 4096;

}  // namespace

void Output::clear()
{
    look.reset();
    box.clear();
    wake = kNever;
}

Agent::Agent(watchdog::Watchlist list, const Start& start, Now now, Output& out)
    : watchdog_(std::move(list), now.mono), poll_(watchdog_.watchlist().poll), next_poll_(now.mono)
{
    again_.reserve(kLooksKept);
    look_rows_.reserve(kLooksKept);
    auto then = start;
    if (then.remembered && then.remembered->rebooted) {
        then.remembered = watchdog::end_latches(std::move(*then.remembered), watchdog_.watchlist());
    }
    if (then.remembered) {
        watchdog_.load(*then.remembered, now.mono);
    }
    adopt(then, now, out);
    request_look(now, out);
}

void Agent::adopt(const Start& start, Now now, Output& out)
{
    const auto adoptions = reconcile(start);
    for (const auto& adoption : adoptions) {
        watchdog_.adopt(adoption.target, adoption.found, adoption.keep, now.mono, out.box);
    }
    if (!adoptions.empty()) {
        watchdog_.tick(now.mono, out.box);
    }
}

void Agent::step(const Input& input, Now now, Output& out)
{
    auto& box = out.box;
    std::visit(
        [&](const auto& in) {
            using In = std::decay_t<decltype(in)>;
            if constexpr (std::is_same_v<In, Tick>) {
                watchdog_.tick(now.mono, box);
            } else if constexpr (std::is_same_v<In, LookDone>) {
                finish_look(in, now, out);
            } else if constexpr (std::is_same_v<In, Overdue>) {
                counters_.looks_overdue += under_way_ && under_way_->look == in.look ? 1U : 0U;
            } else if constexpr (std::is_same_v<In, watchdog::Outcome>) {
                watchdog_.settle(in, now.mono, box);
            } else if constexpr (std::is_same_v<In, watchdog::Notice>) {
                watchdog_.receive(in, now.mono, box);
            } else if constexpr (std::is_same_v<In, watchdog::LinkEvent>) {
                watchdog_.report(in, now.mono, box);
            } else if constexpr (std::is_same_v<In, watchdog::Order>) {
                stopping_ = stopping_ || in.kind == watchdog::Order::Kind::stop ||
                            in.kind == watchdog::Order::Kind::stop_and_hold;
                watchdog_.order(in, now.mono, box);
            } else if constexpr (std::is_same_v<In, Start>) {
                adopt(in, now, out);
            } else if constexpr (std::is_same_v<In, Leaving>) {
                watchdog_.leave(in.rows, now.mono, box);
            } else {
                watchdog_.change(in, now.mono, box);
                poll_ = watchdog_.watchlist().poll;
                next_poll_ = now.mono;
                again_.clear();      // slots may refer to other rows now,
                under_way_.reset();  // also those of the look under way
            }
        },
        input);
    remember_looks(out);
    request_look(now, out);
}

void Agent::finish_look(const LookDone& done, Now now, Output& out)
{
    ++counters_.looks;
    const bool whole = look_rows_.empty();
    if (under_way_ && under_way_->look == done.look) {
        under_way_.reset();
    }
    const auto rows = watchdog_.watchlist().rows.size();
    if (done.seen == nullptr || done.seen->dt_us.size() != rows) {
        ++counters_.looks_failed;
        watchdog_.tick(now.mono, out.box);
        return;
    }
    // A look at all rows covers all requested looks. The watchdog requests further looks again if it needs them.
    if (whole || done.seen->all) {
        again_.clear();
    }
    watchdog_.look(*done.seen, now.mono, out.box);
}

void Agent::remember_looks(Output& out)
{
    for (const auto& wanted : out.box.looks) {
        if (again_.size() < kLooksKept && wanted.at < next_poll_) {
            again_.push_back(wanted);
        }
    }
    out.box.looks.clear();
    std::sort(again_.begin(), again_.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
}

// One look at a time: all rows when the poll is due, single rows when their clocks may be full. If a look waits for new
// counters, the next one follows it at once, but not sooner than poll_ after its begin.
void Agent::request_look(Now now, Output& out)
{
    if (!under_way_ && !stopping_) {
        const auto waits = watchdog_.watchlist().capabilities.look_waits;
        if (now.mono >= next_poll_) {
            const auto late = std::max(now.mono - next_poll_ - waits, Duration::zero()) / poll_;
            counters_.polls_missed += static_cast<std::uint64_t>(late);
            next_poll_ = waits > Duration::zero() ? now.mono + poll_ : next_poll_ + poll_ * (late + 1);
            look_rows_.clear();
            under_way_ = LookRequest{next_look_++, {}, now.mono + poll_ + waits};
        } else if (!again_.empty() && again_.front().at <= now.mono) {
            look_rows_.clear();
            const auto due = std::partition_point(again_.begin(), again_.end(),
                                                  [&](const auto& look) { return look.at <= now.mono; });
            std::transform(again_.begin(), due, std::back_inserter(look_rows_),
                           [](const auto& look) { return look.slot; });
            again_.erase(again_.begin(), due);
            under_way_ = LookRequest{next_look_++, look_rows_, now.mono + poll_ + waits};
        }
        out.look = under_way_;
    }
    if (out.box.overflowed) {
        out.wake = now.mono;
        return;
    }
    out.wake = watchdog_.next_timer();
    if (!under_way_ && !stopping_) {
        out.wake = std::min({out.wake, next_poll_, again_.empty() ? kNever : again_.front().at});
    }
}

bool Agent::stopped() const { return stopping_ && watchdog_.idle(); }

}  // namespace petrel::agent

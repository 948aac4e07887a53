// A watchdog on a small simulated switch. A test sets what the queues do and how the switch answers commands, lets time
// pass, and reads the watchdog's events and commands as a story with one line each:
//   "400 storm_detected Ethernet0:3 proven"        an event at 400 ms
//   "400 do drop Ethernet0:3"                      a command
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/world.hpp"
#include "watchdog/watchdog.hpp"

namespace petrel::test {

using watchdog::Field;
using watchdog::Fields;
using watchdog::Treatment;
using watchdog::Verdict;
using Story = std::vector<std::string>;

inline constexpr Fields kTellsAll = (1U << watchdog::kFields) - 1;

inline watchdog::Policy preset(std::string_view name) { return watchdog::find_preset(name)->policy; }

// A queue of the switch. Time is in microseconds.
struct FakeQueue {
    bool paused{};
    bool readable{true};
    std::uint32_t epoch{1};  // zero: link down
    watchdog::Sample counters;

    void pause(bool on, std::int64_t now)
    {
        if (paused && !on) {
            counters[Field::pause_us] += static_cast<std::uint64_t>(now - since);
            ++counters[Field::on2off];
        }
        if (paused != on) {
            since = now;
            unbroken = false;
        }
        paused = on;
    }

    watchdog::Sample read(std::uint32_t row, Fields known, std::int64_t now)
    {
        auto s = counters;
        s.slot = Slot{row};
        s.read_at = instant_from_us(now);
        s.known = readable ? known : 0;
        s.epoch = epoch;
        s.paused_now = paused;
        s.pause_state = !paused    ? watchdog::PauseState::not_paused
                        : unbroken ? watchdog::PauseState::paused
                                   : watchdog::PauseState::not_continuous;
        unbroken = paused;
        if (paused) {
            s[Field::pause_us] += static_cast<std::uint64_t>(now - since);
            s[Field::rx_xoff] = s[Field::rx_pfc] = ++counters[Field::rx_xoff];
        }
        return s;
    }

private:
    std::int64_t since{};
    bool unbroken{};  // paused since the last read
};

struct Answer {
    Verdict verdict{Verdict::confirmed};
    Treatment in_effect{};
    std::string detail;
};

class Driver {
public:
    Driver(const watchdog::PolicyBook& book, watchdog::Inventory inventory,
           watchdog::Capabilities can = able(kTellsAll), std::size_t room = 64)
        : inventory_(std::move(inventory)),
          can_(can),
          dog_(list_of(book), Instant{}),
          out_(room),
          queues_(inventory_.rows.size())
    {
        intake_ = std::make_unique<watchdog::Intake>(inventory_, can_);
        poll();
    }
    // `queues` queues, one per port, with one policy.
    explicit Driver(watchdog::Policy policy, std::size_t queues = 1, watchdog::Capabilities can = able(kTellsAll))
        : Driver(book_of(std::move(policy)), small_inventory(queues), can)
    {}

    // --- the switch
    FakeQueue& queue(std::uint32_t row = 0) { return queues_[row]; }
    void storm(std::uint32_t row = 0) { queues_[row].pause(true, now_us_); }
    void calm(std::uint32_t row = 0) { queues_[row].pause(false, now_us_); }

    // How the switch answers a command; nullopt = no answer.
    std::function<std::optional<Answer>(const watchdog::Command&)> answer = [](const auto&) { return Answer{}; };
    void answers(Verdict verdict)
    {
        answer = [=](const auto&) { return Answer{verdict, Treatment::none, ""}; };
    }
    void stays_silent()
    {
        answer = [](const auto&) { return std::nullopt; };
    }

    // --- time. Every poll looks at all queues; tick() is called when a timer is due.
    void run_ms(std::int64_t ms) { run_until_us(now_us_ + 1000 * ms); }
    void run_until_us(std::int64_t end)
    {
        while (now_us_ < end) {
            const auto timer = dog_.next_timer();
            const auto tick = timer == kNever ? end : std::max(now_us_ + 1, whole_us(timer));
            now_us_ = std::min({end, next_poll_us_, tick});
            if (now_us_ == next_poll_us_) {
                poll();
            } else {
                dog_.tick(now(), out_);
                drain();
            }
        }
    }

    // One look at all queues, now.
    void poll()
    {
        intake_->begin();
        for (std::uint32_t r = 0; r < queues_.size(); ++r) {
            intake_->put(queues_[r].read(r, can_.fields, now_us_));
        }
        dog_.look(intake_->view(), now(), out_);
        next_poll_us_ = now_us_ + whole_us(dog_.watchlist().poll);
        drain();
    }

    // --- input from outside
    void order(watchdog::Order::Kind kind, std::optional<Target> target = std::nullopt, std::string by = "ann")
    {
        dog_.order({kind, target, std::move(by)}, now(), out_);
        drain();
    }
    void receive(watchdog::Notice::Kind kind, Target target, Duration recovery = {})
    {
        dog_.receive({kind, target, now(), {}, {}, recovery}, now(), out_);
        drain();
    }
    void settle(const watchdog::Command& command, const Answer& how)
    {
        dog_.settle({command.id, how.verdict, how.in_effect, now(), how.detail}, now(), out_);
        drain();
    }
    void change(const watchdog::PolicyBook& book)
    {
        dog_.change(list_of(book), now(), out_);
        drain();
    }
    // The same queues in another order, under other numbers; names stay.
    void change(const watchdog::PolicyBook& book, watchdog::Inventory inventory, std::vector<FakeQueue> queues)
    {
        inventory_ = std::move(inventory);
        queues_ = std::move(queues);
        intake_ = std::make_unique<watchdog::Intake>(inventory_, can_);
        change(book);
    }
    // The row leaves the inventory.
    void leave(std::uint32_t row)
    {
        dog_.leave(std::vector{Slot{row}}, now(), out_);
        drain();
    }
    // Restarts the watchdog from its checkpoint.
    void restart(const watchdog::PolicyBook& book)
    {
        const auto saved = dog_.save(now());
        dog_ = watchdog::Watchdog{list_of(book), now()};
        dog_.load(saved, now());
        dog_.tick(now(), out_);
        drain();
    }

    // --- results
    Story story() { return std::exchange(story_, {}); }
    const std::vector<watchdog::Event>& events() const { return events_; }
    const std::vector<watchdog::Command>& commands() const { return commands_; }
    const std::vector<watchdog::LookAgain>& looks() const { return looks_; }
    const watchdog::Event& last(watchdog::EventKind kind) const
    {
        const auto at = std::find_if(events_.rbegin(), events_.rend(), [&](const auto& e) { return e.kind == kind; });
        if (at == events_.rend()) {
            throw std::out_of_range{fmt::format("no event {}", name(kind))};
        }
        return *at;
    }
    watchdog::Watchdog& dog() { return dog_; }
    watchdog::Outbox& out() { return out_; }
    watchdog::Phase phase(std::uint32_t row = 0) const { return dog_.phase(Slot{row}); }
    Treatment in_effect(std::uint32_t row = 0) const { return dog_.in_effect(Slot{row}); }
    watchdog::QueueStats stats(std::uint32_t row = 0) const { return dog_.stats(Slot{row}, now()); }
    Target target(std::uint32_t row = 0) const { return inventory_.rows[row].target; }
    Instant now() const { return instant_from_us(now_us_); }
    const std::vector<FakeQueue>& queues() const { return queues_; }

private:
    watchdog::Watchlist list_of(const watchdog::PolicyBook& book) const
    {
        return watchdog::compile(book, inventory_, can_).value();
    }

    void drain()
    {
        // Decisions that did not fit the outbox follow in the next passes. A machine that never finishes is a defect.
        for (int passes = 0; passes < 1000; ++passes) {
            const auto events = std::exchange(out_.events, {});
            const auto commands = std::exchange(out_.commands, {});
            const bool more = std::exchange(out_.overflowed, false);
            looks_.insert(looks_.end(), out_.looks.begin(), out_.looks.end());
            out_.looks.clear();
            for (const auto& e : events) {
                const auto at = e.kind == watchdog::EventKind::order_taken ? e.by : to_string(inventory_, e.target);
                story_.push_back(fmt::format("{} {} {} {}", ms(), name(e.kind), at, name(e.reason)));
            }
            for (const auto& c : commands) {
                story_.push_back(fmt::format("{} do {} {}", ms(), name(c.want), to_string(inventory_, c.target)));
            }
            events_.insert(events_.end(), events.begin(), events.end());
            commands_.insert(commands_.end(), commands.begin(), commands.end());
            for (const auto& c : commands) {
                if (const auto how = answer(c)) {
                    dog_.settle({c.id, how->verdict, how->in_effect, now(), how->detail}, now(), out_);
                }
            }
            if (more) {
                dog_.tick(now(), out_);
            }
            if (!more && commands.empty()) {
                return;
            }
        }
        throw std::runtime_error{"the watchdog never comes to rest"};
    }

    std::string ms() const
    {
        return now_us_ % 1000 == 0 ? fmt::format("{}", now_us_ / 1000) : fmt::format("{:.3f}", double(now_us_) / 1000);
    }

    watchdog::Inventory inventory_;
    watchdog::Capabilities can_;
    watchdog::Watchdog dog_;
    watchdog::Outbox out_;
    std::vector<FakeQueue> queues_;
    std::unique_ptr<watchdog::Intake> intake_;
    std::int64_t now_us_{};
    std::int64_t next_poll_us_{};
    Story story_;
    std::vector<watchdog::Event> events_;
    std::vector<watchdog::Command> commands_;
    std::vector<watchdog::LookAgain> looks_;
};

// A storm from 0 on, detected at 400 ms; sonic polls every 100 ms, T0 = 400 ms, T1 = 2 s.
inline void detect(Driver& d)
{
    d.storm();
    d.run_ms(400);
    ASSERT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3"}));
}

// The storm ends in the middle of an interval, so that quiet begins at the read after.
inline void calm_between_reads(Driver& d, std::uint32_t row = 0)
{
    d.run_ms(50);
    d.calm(row);
    d.run_ms(50);
}

inline watchdog::Policy with_probe()
{
    auto policy = preset("sonic");
    policy.probe = std::chrono::milliseconds{100};
    return policy;
}

}  // namespace petrel::test

// An agent on the databases of a SONiC switch, and a stand-in for the switch. Polls follow each other as in production,
// but in simulated time.
#pragma once

#include <gtest/gtest.h>

#include "agent/agent.hpp"
#include "device/manual_clock.hpp"
#include "device/sonic/sonic_device.hpp"
#include "device/synthetic/memory_journal.hpp"
#include "runner/start.hpp"
#include "support/inline_runner.hpp"
#include "support/sonic_switch.hpp"
#include "watchdog/policy.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::test {

using namespace std::chrono_literals;
using device::sonic::SonicDevice;
using sonic::Db;
using watchdog::Treatment;

constexpr DeviceId kSonicId{3};
// A look does not wait for a poll of syncd: it checks the canaries (device/sonic/poll_stamp.hpp) for a new one.
const device::sonic::Settings kPatient{60s, 60s, 50ms, 0ms};
inline constexpr auto kQueue = "Ethernet0:3";  // the queue that most tests pause

class OnSwitch {
public:
    explicit OnSwitch(SonicSwitch::Setup setup = {}) : setup_(std::move(setup)) { restart_switch(); }

    void restart_switch()
    {
        sonic_.reset();
        sonic_ = std::make_unique<SonicSwitch>(server_, setup_);
    }

    Result<void> open(device::sonic::Settings settings = kPatient)
    {
        device_.reset();
        return SonicDevice::open(
                   sonic::at_one_address(through_.value_or(server_.address())), kSonicId, clock_,
                   [this](const std::string& words) { notes_.push_back(words); }, settings)
            .map([&](std::unique_ptr<SonicDevice> opened) {
                device_ = std::move(opened);
                watch_all();
            });
    }

    // The agent's policies cover every row.
    void watch_all()
    {
        std::vector<Slot> rows;
        for (std::uint32_t row = 0; row != device_->inventory().rows.size(); ++row) {
            rows.push_back(Slot{row});
        }
        device_->set_watched_rows(rows);
    }

    // As in production: the server reports writes, and a look waits for the report. The test's clock stands still while
    // the look waits, so the look waits only if syncd has written a poll.
    static constexpr Duration kWake = 45ms;
    device::sonic::Settings with_reports()
    {
        return {60s, 60s, 50ms, kWake, [this](std::span<const int> fds, Duration most) {
                    // A shorter wait is for further writes of a poll that the device has seen already.
                    if (most >= kWake / 2 && sonic_->has_polled()) {
                        device::sonic::wait_readable(fds.first(1), 200ms);
                    }
                }};
    }

    // Starts the device, and an agent with this policy for every queue.
    void start(const watchdog::Policy& policy) { start(policy, with_reports()); }
    void start(const watchdog::Policy& policy, device::sonic::Settings settings)
    {
        policy_ = policy;
        settings_ = settings;
        start_agent(std::nullopt);
    }

    void start_agent(std::optional<watchdog::Checkpoint> remembered)
    {
        runner_.reset();
        agent_.reset();
        output_.clear();
        if (const auto opened = open(settings_); !opened) {
            throw std::runtime_error(opened.error().what);
        }
        watchdog::PolicyBook book;
        book.policies = {policy_};
        book.assigned = {{}};
        auto list = watchdog::compile(book, device_->inventory(), device_->capabilities());
        agent_.emplace(std::move(list.value()), runner::gather_start(*device_, journal_, std::move(remembered)).value(),
                       clock_.now(), output_);
        runner_.emplace(*agent_, output_, *device_, journal_, clock_);
        runner_->on_event([this](const watchdog::Event& event) { events_.push_back(event); });
        runner_->run_until(clock_.now().mono);
    }

    // Reopens the device as the service does. The device requests it after SONiC's scripts were in place.
    void reopen_if_wanted()
    {
        if (device_->wants_reopening()) {
            ++reopened_;
            start_agent(watchdog::aged(agent_->save(clock_.now().mono), {}));
        }
    }

    // The next poll of syncd, and the agent's look at it.
    void poll(std::chrono::milliseconds after = 200ms, Duration stamp_behind = {})
    {
        const auto at = clock_.now().mono + after;
        reopen_if_wanted();
        runner_->run_until(at - 1ns);
        sonic_->poll(at - stamp_behind);
        runner_->run_until(at);
        sonic_->has_polled();  // clears the flag: later looks do not wait for this poll
        reopen_if_wanted();
    }

    static watchdog::Policy policy(Duration detect = 400ms, Duration restore = 400ms)
    {
        auto policy = watchdog::find_preset("sonic")->policy;
        policy.detect = detect;
        policy.restore = restore;
        policy.poll = 200ms;
        return policy;
    }

    Target target(const std::string& queue) const
    {
        for (const auto& row : device_->inventory().rows) {
            if (to_string(device_->inventory(), row.target) == queue) {
                return row.target;
            }
        }
        throw std::runtime_error("no queue " + queue);
    }

    int told(watchdog::EventKind kind) const
    {
        return static_cast<int>(std::ranges::count(events_, kind, &watchdog::Event::kind));
    }

    RedisServer server_;
    std::optional<redis::Address> through_;  // a gate between the device and the server, if any
    SonicSwitch::Setup setup_;
    device::ManualClock clock_;
    std::vector<std::string> notes_;
    std::unique_ptr<SonicSwitch> sonic_;
    device::MemoryJournal journal_;
    std::unique_ptr<SonicDevice> device_;
    agent::Output output_;
    std::optional<agent::Agent> agent_;
    std::optional<runtime::InlineRunner> runner_;
    std::vector<watchdog::Event> events_;
    watchdog::Policy policy_;
    device::sonic::Settings settings_;
    int reopened_{};
};

}  // namespace petrel::test

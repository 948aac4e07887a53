// An agent on the databases of a SONiC switch, and a stand-in for the switch. Polls follow each other as in production,
// but in simulated time.
#pragma once

#include <gtest/gtest.h>

#include "device/sonic/sonic_device.hpp"
#include "support/simulated_runner.hpp"
#include "support/sonic_switch.hpp"
#include "support/world.hpp"

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

    // Starts an agent with this policy for every queue. It opens the device, and finds a journal but no checkpoint.
    void start(const watchdog::Policy& policy) { start(policy, with_reports()); }
    void start(const watchdog::Policy& policy, const device::sonic::Settings& settings)
    {
        disk_.state.clear();
        restart_agent(policy, settings);
    }

    // The agent dies, and the next one finds journal and checkpoint.
    void restart_agent(const watchdog::Policy& policy, const device::sonic::Settings& settings)
    {
        runner_.reset();
        const auto open_device = [this, settings] {
            return open(settings).map([this]() -> device::Device* { return device_.get(); });
        };
        runner_.emplace(clock_, SimulatedRunner::Setup{open_device, book_of(policy),
                                                       std::make_unique<lab::DiskMemory>(disk_, [] {})});
        runner_->run_until(clock_.now().mono);
        if (runner_->device_runner().agent() == nullptr) {
            throw std::runtime_error(runner_->device_runner().why());
        }
    }

    // The next poll of syncd, and the agent's look at it.
    void poll(std::chrono::milliseconds after = 200ms, Duration stamp_behind = {})
    {
        const auto at = clock_.now().mono + after;
        runner_->run_until(at - 1ns);
        sonic_->poll(at - stamp_behind);
        runner_->run_until(at);
        sonic_->has_polled();  // clears the flag: later looks do not wait for this poll
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

    Result<void> treat(const Target& target, Treatment want)
    {
        const watchdog::Command command{1, 0, target, want, kNever};
        return device_->apply(command, {}).and_then([&] { return device_->await_effect(command); });
    }

    int event_count(watchdog::EventKind kind) const
    {
        return static_cast<int>(std::ranges::count(runner_->events, kind, &watchdog::Event::kind));
    }

    RedisServer server_;
    std::optional<redis::Address> through_;  // a gate between the device and the server, if any
    SonicSwitch::Setup setup_;
    device::ManualClock clock_;
    std::vector<std::string> notes_;
    std::unique_ptr<SonicSwitch> sonic_;
    lab::SimulatedDisk disk_;
    std::unique_ptr<SonicDevice> device_;
    std::optional<SimulatedRunner> runner_;
};

}  // namespace petrel::test

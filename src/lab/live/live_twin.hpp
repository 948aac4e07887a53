// A scenario's fabric in wall-clock time: a call of one of its devices first runs the twin up to the present. The
// scenario's faults and traffic run once, from the start; then time goes on. The scenario's agents do not run: the
// devices are for other agents.
//
// If the twin is slower than the clock, it skips time (let_go()): a call runs the twin for a bounded time only, and
// time that it can no longer catch up with is never simulated. The samples stay correct, because their stamps advance
// with simulated time, but they are older by the lag.
//
// Contract: the devices of one twin may be used from different threads, each device from one thread at a time. A device
// reads the clock that it was opened with. The clock outlives the device, and the clocks of all devices show the same
// time. A notice is delivered in the thread that is in a call of any of the devices.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>

#include "base/result.hpp"
#include "device/manual_clock.hpp"
#include "scenario/scenario.hpp"
#include "twin/twin.hpp"

namespace petrel::lab {

class LiveTwin : public std::enable_shared_from_this<LiveTwin> {
public:
    // Called during a call of a device, each time that the skipped time has doubled.
    using OnLoss = std::function<void(Duration)>;

    static Result<std::shared_ptr<LiveTwin>> make(scenario::Scenario, Instant start, OnLoss = {});

    // A device keeps the twin alive. A node has one device at a time. What a device has set on its node stays in force
    // after the device is destroyed.
    Result<std::unique_ptr<device::Device>> open(scenario::NodeId, DeviceId, const device::TimeSource&);

    // For callers other than devices: runs the twin up to the present and calls the function with exclusive access to
    // it.
    void use(const device::TimeSource&, const std::function<void(twin::Twin&)>&);

    const topology::Topology& topology() const { return twin_->setup().topology; }
    Duration let_go() const;

private:
    class OnNode;

    LiveTwin(scenario::Scenario, std::unique_ptr<twin::Twin>, Instant start, OnLoss);
    void call(scenario::NodeId, const device::TimeSource&, const std::function<void()>&);
    void run_up_to_now(const device::TimeSource&, Instant called);
    void let_go(twin::Ps);

    mutable std::mutex mutex_;  // protects all members below; held during any use of the twin or its devices
    scenario::Scenario scenario_;
    std::unique_ptr<twin::Twin> twin_;
    Instant start_;                     // of simulated time, on the callers' clocks
    device::ManualClock device_clock_;  // the clock that the devices read: simulated time
    twin::Ps let_go_{};
    twin::Ps next_loss_report_;  // skipped time at which on_loss_ is called next
    twin::Ps piece_;
    OnLoss on_loss_;
    std::set<scenario::NodeId> in_use_;
};

}  // namespace petrel::lab

// A scenario's fabric in wall-clock time: whoever calls one of its devices first lets the twin run up to the present.
// Faults and traffic play once, as the scenario has them, from the start; time then goes on. The
// scenario's agents stay out of it: the devices are for somebody else's.
//
// Where the twin is slower than the clock, time in it is let go: a call lets it run for a bounded time, and what it can
// no longer catch up with is never simulated. The samples stay true, since their stamps advance with simulated time;
// they are that much older than they would be.
//
// Contract: devices of one twin may be used from different threads, each from one at a time. Each asks the clock it was
// opened with, which outlives it; all of them show the same time. Notices come from whichever of these threads is in a
// call.
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
    // Told in a call of a device, each time that the time let go has doubled.
    using HearLoss = std::function<void(Duration)>;

    static Result<std::shared_ptr<LiveTwin>> make(scenario::Scenario, Instant start, HearLoss = {});

    // A device keeps the twin. A node has one at a time; what was set on it stays when the device goes.
    Result<std::unique_ptr<device::Device>> open(scenario::NodeId, DeviceId, const device::TimeSource&);

    // For software that is no device: the twin itself at the present, while nobody else is in it.
    void use(const device::TimeSource&, const std::function<void(twin::Twin&)>&);

    const topology::Topology& topology() const { return twin_->setup().topology; }
    Duration let_go() const;

private:
    class OnNode;

    LiveTwin(scenario::Scenario, std::unique_ptr<twin::Twin>, Instant start, HearLoss);
    void call(scenario::NodeId, const device::TimeSource&, const std::function<void()>&);
    void run_up_to_now(const device::TimeSource&, Instant called);
    void let_go(twin::Ps);

    mutable std::mutex mutex_;  // for all below; held while anything of the twin or of its devices is used
    scenario::Scenario scenario_;
    std::unique_ptr<twin::Twin> twin_;
    Instant start_;                     // of simulated time, on the clocks
    device::ManualClock device_clock_;  // as devices see it: at the simulated present
    twin::Ps let_go_{};
    twin::Ps told_;  // let go when it is next told
    twin::Ps piece_;
    HearLoss hear_loss_;
    std::set<scenario::NodeId> in_use_;
};

}  // namespace petrel::lab

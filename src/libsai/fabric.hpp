// The fabric behind the library: a scenario in wall-clock time, or in time that advances only when the caller steps it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "device/manual_clock.hpp"
#include "lab/live/live_twin.hpp"
#include "runtime/event_loop.hpp"

namespace petrel::libsai {

class Fabric {
public:
    enum class Time : std::uint8_t { wall, stepped };

    // Without a file: one switch with 32 silent hosts.
    static Result<std::unique_ptr<Fabric>> open(const std::string& file, Time);

    const std::string& file() const { return file_; }
    Time time() const { return time_; }
    const topology::Topology& topology() const { return twin_->topology(); }

    // Reads the twin at the present time.
    void read(const std::function<void(twin::Twin&)>&);
    // Writes to a node at the present time. This takes one nanosecond.
    void write(topology::NodeId, const std::function<void(twin::Twin&, twin::Ps now)>&);
    void step(Duration);  // stepped time only

private:
    Fabric(std::string file, Time time) : file_(std::move(file)), time_(time) {}
    const device::TimeSource& clock() const;

    std::string file_;
    Time time_;
    runtime::SystemClock wall_;
    device::ManualClock stepped_;
    std::shared_ptr<lab::LiveTwin> twin_;
};

}  // namespace petrel::libsai

// The demo in words: what the agent does, told as it happens. It only listens; nothing here influences the run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agent.hpp"
#include "cli/terminal.hpp"
#include "device/carry_out.hpp"
#include "watchdog/event.hpp"

namespace petrel::cli {

class DemoStory {
public:
    using Write = std::function<void(const std::string& line)>;

    DemoStory(const agent::Agent&, const device::TimeSource&, Slot culprit, const Paint&, Write);

    void tell(std::string_view who, std::string_view what);  // a line with the time in front
    void plain(std::string_view line);

    // What the runner reports.
    void hear(const watchdog::Event&);
    void hear(const watchdog::Observations&);
    void hear(device::FaultPoint);
    void hear(const watchdog::Command&, const watchdog::Outcome&);

    void tell_containment();         // how the culprit and all the others fared since the storm was found
    std::string statistics() const;  // the table that `pfcwd show stats` would print

private:
    struct Sent {
        std::uint64_t bytes{};
        std::uint64_t dropped{};  // packets
    };

    void tell_step(std::string_view step, std::string_view what);

    const agent::Agent& agent_;
    const device::TimeSource& clock_;
    Slot culprit_;
    Paint paint_;
    Write write_;
    bool suspected_{};
    bool stormed_{};
    std::vector<device::FaultPoint> steps_;  // of the command being carried out
    Sent culprit_sent_;
    Sent others_sent_;
};

}  // namespace petrel::cli

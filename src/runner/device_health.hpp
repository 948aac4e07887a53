// The health of one device: its condition, the notes of its driver, the drift of its time stamps and the configured
// queues that cannot be watched. Each change is logged once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "control/report.hpp"
#include "runner/loop.hpp"
#include "runner/runner_host.hpp"
#include "watchdog/intake.hpp"

namespace petrel::runner {

class DeviceHealth {
public:
    using Condition = control::DeviceReport::Condition;

    // Loop and host must outlive it.
    DeviceHealth(const Loop&, RunnerHost&, std::string name);

    void become(Condition, std::string why);
    void note(const std::string& text);
    void follow_drift(const watchdog::StampDrift&);
    // Configured queues that cannot be watched, and why. False: they are the same as before.
    bool list_unseen(std::map<std::string, std::string> now);
    void log(LogLevel, std::string event, std::string message) const;

    Condition condition() const { return condition_; }
    const std::string& why() const { return why_; }
    bool sees_all() const { return unseen_.empty(); }
    bool unseen(const std::string& queue) const { return unseen_.contains(queue); }
    void fill(control::DeviceReport&) const;

private:
    const Loop& loop_;
    RunnerHost& host_;
    std::string name_;

    Condition condition_{Condition::opening};
    Instant condition_since_;
    std::string why_;
    std::vector<std::string> notes_;              // from the driver
    int drift_percent_{};                         // of time stamps against pause counters, as last reported
    std::optional<Instant> drift_differs_since_;  // the estimate differs from it since then
    std::string drift_note_;                      // empty: no drift
    std::map<std::string, std::string> unseen_;   // configured queues that cannot be watched, and why
};

}  // namespace petrel::runner

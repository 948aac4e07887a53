// Runs an agent with a device and a journal in one thread under a manual clock: every look and every command is carried
// out at the instant it is requested and takes no time. The agent behaves as in production; only the waiting differs.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "agent/agent.hpp"
#include "device/carry_out.hpp"
#include "device/device.hpp"
#include "device/journal.hpp"
#include "device/manual_clock.hpp"
#include "watchdog/intake.hpp"

namespace petrel::runtime {

class InlineRunner {
public:
    // `output` is the one the agent was constructed with; its content is handled first. All references outlive the
    // runner.
    InlineRunner(agent::Agent&, agent::Output& output, device::Device&, device::Journal&, device::ManualClock&);

    void on_event(std::function<void(const watchdog::Event&)> hear) { hear_event_ = std::move(hear); }
    void on_look(std::function<void(const watchdog::Observations&)> hear) { hear_look_ = std::move(hear); }
    void on_outcome(std::function<void(const watchdog::Command&, const watchdog::Outcome&)> hear)
    {
        hear_outcome_ = std::move(hear);
    }
    void on_carry_out(device::FaultHook hook) { carry_out_hook_ = std::move(hook); }

    // Does everything that the agent requests up to and including `end`; the clock stands at `end` afterwards.
    void run_until(Instant end);

    // Passes one input (an order, a notice, new policies) and handles everything that follows from it at this instant.
    void give(const agent::Input&);

private:
    class Notices final : public device::NoticeSink {
    public:
        void post(const watchdog::Notice& notice) noexcept override { waiting.push_back(notice); }
        std::deque<watchdog::Notice> waiting;
    };

    void step(const agent::Input&);
    void collect();
    void serve();
    bool serve_one();
    void look(const agent::LookRequest&);
    void carry_out(const watchdog::Command&);

    agent::Agent& agent_;
    agent::Output& output_;
    device::Device& device_;
    device::Journal& journal_;
    device::ManualClock& clock_;
    std::optional<watchdog::Intake> intake_;
    Notices notices_;
    std::deque<watchdog::Command> commands_;
    std::function<void(const watchdog::Event&)> hear_event_;
    std::function<void(const watchdog::Observations&)> hear_look_;
    std::function<void(const watchdog::Command&, const watchdog::Outcome&)> hear_outcome_;
    device::FaultHook carry_out_hook_;
};

}  // namespace petrel::runtime

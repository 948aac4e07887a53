#include "cli/demo_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "agent/agent.hpp"
#include "base/assert.hpp"
#include "cli/demo_story.hpp"
#include "cli/policy_choice.hpp"
#include "cli/terminal.hpp"
#include "codec/event_json.hpp"
#include "device/manual_clock.hpp"
#include "device/synthetic/memory_journal.hpp"
#include "device/synthetic/synthetic_switch.hpp"
#include "runtime/inline_runner.hpp"
#include "watchdog/policy.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kDevice = "leaf1";
constexpr std::uint16_t kPorts = 8;
constexpr std::uint16_t kMadPort = 4;
constexpr Priority kMadPriority{3};
constexpr BitRate kDemand{20'000'000'000};

// The story: between polls on purpose, so that the clock is seen to measure and not to count polls.
constexpr Instant kStormBegins{1037ms};
constexpr Instant kLookAround{2500ms};
constexpr Instant kStormEnds{3352ms};
constexpr Instant kTheEnd{6s};

device::SyntheticSwitch::Options switch_options()
{
    device::SyntheticSwitch::Options options;
    options.ports = kPorts;
    return options;
}

watchdog::Watchlist watchlist_for(const device::Device& device)
{
    auto watchlist =
        watchdog::compile(book_of(watchdog::find_preset("sonic")->policy), device.inventory(), device.capabilities());
    PETREL_ASSERT(watchlist.has_value(), "the demo's own switch does not fit its policy");
    return std::move(*watchlist);
}

// Everything a real agent has, made of parts that need no hardware and no waiting.
class Demo {
public:
    explicit Demo(const DemoOptions& options)
        : options_(options),
          switch_(switch_options(), clock_),
          agent_(watchlist_for(switch_), agent::Start{}, clock_.now(), output_),
          runner_(agent_, output_, switch_, journal_, clock_),
          story_(agent_, clock_, switch_.slot(mad_queue()), Paint{stdout_wants_colour()},
                 [this](const std::string& line) { write(line); })
    {
        for (const auto& row : switch_.inventory().rows) {
            switch_.demand(row.target, kDemand);
            switch_.receive(row.target, kDemand);
        }
        switch_.pause(mad_queue(), device::storm(kStormBegins, kStormEnds));
        if (options_.json) {
            runner_.on_event([this](const watchdog::Event& event) {
                write(codec::event_json(event, agent_.watchdog().watchlist(), kDevice) + '\n');
            });
        } else {
            listen();
        }
    }

    ExitCode run()
    {
        if (options_.json) {
            play_until(kTheEnd);
        } else {
            tell_all();
        }
        return error_ ? fail(*error_) : ExitCode::ok;
    }

private:
    Target mad_queue() const { return switch_.queue(kMadPort, kMadPriority); }

    void listen()
    {
        runner_.on_event([this](const watchdog::Event& event) { story_.hear(event); });
        runner_.on_look([this](const watchdog::Observations& seen) { story_.hear(seen); });
        runner_.on_carry_out([this](device::FaultPoint point) { story_.hear(point); });
        runner_.on_outcome([this](const watchdog::Command& command, const watchdog::Outcome& outcome) {
            story_.hear(command, outcome);
        });
    }

    void tell_all()
    {
        const auto& policy = agent_.watchdog().watchlist().policies.front();
        story_.plain(
            fmt::format("{}: {} ports of 100 Gb/s, lossless queues 3 and 4, all of them busy. Policy {}: a pause is a "
                        "storm\nafter T0 = {} ms, over after T1 = {} ms of quiet, looked for every T2 = {} ms; "
                        "action {}.\n",
                        kDevice, kPorts, policy.name, whole_ms(policy.detect), whole_ms(policy.restore),
                        whole_ms(policy.poll), watchdog::action_name(policy.action)));
        story_.tell("fabric", "is quiet");
        play_until(kStormBegins);
        story_.tell("fabric", fmt::format("the NIC behind Ethernet{0} goes mad: it pauses queue {1} and does not stop",
                                          kMadPort, kMadPriority.value));
        play_until(kLookAround);
        story_.tell_containment();
        play_until(kStormEnds);
        story_.tell("fabric", "the NIC is reset: no more pause");
        play_until(kTheEnd);
        story_.plain(fmt::format("\n{}", story_.statistics()));
    }

    void play_until(Instant end)
    {
        if (!options_.realtime) {
            runner_.run_until(end);
            return;
        }
        constexpr auto kFrame = 10ms;
        while (clock_.now().mono < end && !error_ && !nobody_listens_) {
            const auto next = std::min(clock_.now().mono + kFrame, end);
            std::this_thread::sleep_until(started_ + next.time_since_epoch());
            runner_.run_until(next);
        }
    }

    void write(const std::string& text)
    {
        if (const auto written = write_stdout(text); !written && !error_) {
            error_ = written.error();
        } else if (written && !*written) {
            nobody_listens_ = true;
        }
    }

    DemoOptions options_;
    std::chrono::steady_clock::time_point started_{std::chrono::steady_clock::now()};
    std::optional<Error> error_;
    bool nobody_listens_{};
    device::ManualClock clock_;
    device::SyntheticSwitch switch_;
    device::MemoryJournal journal_;
    agent::Output output_;
    agent::Agent agent_;
    runtime::InlineRunner runner_;
    DemoStory story_;
};

}  // namespace

ExitCode run_demo(const DemoOptions& options) { return Demo(options).run(); }

}  // namespace petrel::cli

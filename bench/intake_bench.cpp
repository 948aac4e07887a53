// The Intake: begin(), and put() for every row, as a device does after it has read the counters.
#include <fmt/format.h>

#include "benches.hpp"
#include "fabric.hpp"
#include "measure.hpp"

namespace petrel::bench {

namespace {

using watchdog::Field;

constexpr std::uint32_t kRows = 1U << 16U;

void measure_intake(Report& report, PauseSignal signal)
{
    watchdog::Intake intake{inventory(kRows), capabilities(signal)};
    watchdog::Sample sample;
    sample.known = capabilities(signal).fields;
    sample.epoch = 1;
    const auto timings = in_turns({[&] {
        intake.begin();
        sample.read_at += std::chrono::milliseconds{100};
        sample[Field::pause_us] += 70;
        sample[Field::rx_xoff] += 1;
        for (std::uint32_t row = 0; row < kRows; ++row) {
            sample.slot = Slot{row};
            sample.paused_now = row % 100 == 0;
            sample.pause_state = sample.paused_now ? watchdog::PauseState::not_continuous : watchdog::PauseState{};
            intake.put(sample);
        }
        keep(intake.view().touched.size());
    }});
    report.metric("ns_per_queue", timings[0].least_ns / kRows);
    report.metric("ns_per_queue_median", timings[0].median_ns / kRows);
}

}  // namespace

std::vector<Bench> intake_benches()
{
    std::vector<Bench> all;
    for (const auto signal : {PauseSignal::state, PauseSignal::counter}) {
        all.push_back({fmt::format("watchdog/intake/{}/{}", kRows, name(signal)),
                       [=](Report& report) { measure_intake(report, signal); }});
    }
    return all;
}

}  // namespace petrel::bench

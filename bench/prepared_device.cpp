#include "prepared_device.hpp"

#include <fmt/format.h>

#include <ctime>

namespace petrel::bench {

using watchdog::Field;

namespace {

double seconds_on(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

double thread_cpu_s() { return seconds_on(CLOCK_THREAD_CPUTIME_ID); }
double process_cpu_s() { return seconds_on(CLOCK_PROCESS_CPUTIME_ID); }

PreparedDevice::PreparedDevice(const Work& work, const device::TimeSource& clock, OnLook on_look)
    : work_(work),
      inventory_(bench::inventory(work.rows)),
      capabilities_(bench::capabilities(work.signal)),
      clock_(clock),
      on_look_(std::move(on_look)),
      samples_(work.rows)
{
    for (std::uint32_t port = 0; port != work.rows / kPriorities; ++port) {
        inventory_.ports.push_back({fmt::format("Ethernet{}", port), {}, port});
    }
    for (std::uint32_t row = 0; row != work.rows; ++row) {
        samples_[row].slot = Slot{row};
        samples_[row].read_at = clock.now().mono;
        samples_[row].known = capabilities_.fields;
        samples_[row].epoch = 1;
    }
}

bool PreparedDevice::stormed(std::uint32_t row) const
{
    return work_.stormed != 0 && row % (work_.rows / work_.stormed) == 0 && looks_ >= work_.from &&
           looks_ < work_.until;
}

// A row keeps its role for two looks: a row that is paused in the first is paused at both ends of the second.
void PreparedDevice::refresh(watchdog::Sample& sample, Instant now) const
{
    const auto row = sample.slot.value;
    const auto dt_us = static_cast<std::uint64_t>(whole_us(now) - whole_us(sample.read_at));
    const auto phase = static_cast<unsigned>(looks_ / 2);
    const auto reading = stormed(row) ? PauseReading{watchdog::PauseState::paused, dt_us, dt_us / 100}
                                      : pause_reading(row, work_.rows, {}, phase, dt_us);
    sample.read_at = now;
    sample.pause_state = reading.state;
    sample.paused_now = reading.state != watchdog::PauseState::not_paused;
    sample[Field::pause_us] += reading.pause_us;
    sample[Field::rx_xoff] += reading.xoff;
}

Result<void> PreparedDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    for (const auto slot : rows) {
        refresh(samples_[slot.value], clock_.now().mono);
        into.put(samples_[slot.value]);
    }
    if (!rows.empty()) {
        return {};
    }
    on_look_(*this);
    const auto before = thread_cpu_s();
    const auto now = clock_.now().mono;
    for (auto& sample : samples_) {
        refresh(sample, now);
    }
    own_cpu_s_ += thread_cpu_s() - before;
    ++looks_;
    for (const auto& sample : samples_) {
        into.put(sample);
    }
    return {};
}

Result<void> PreparedDevice::apply(const watchdog::Command& command, const device::Undo&)
{
    in_force_[command.target] = command.want;
    ++writes_;
    return {};
}

}  // namespace petrel::bench

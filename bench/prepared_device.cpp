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

PreparedDevice::PreparedDevice(std::uint32_t rows, Tells tells, const device::TimeSource& clock, OnLook looked)
    : inventory_(bench::inventory(rows)),
      capabilities_(bench::capabilities(tells)),
      clock_(clock),
      looked_(std::move(looked)),
      samples_(rows),
      read_at_(clock.now().mono)
{
    for (std::uint32_t port = 0; port != rows / kPriorities; ++port) {
        inventory_.ports.push_back({fmt::format("Ethernet{}", port), {}, port});
    }
    for (std::uint32_t row = 0; row != rows; ++row) {
        samples_[row].slot = Slot{row};
        samples_[row].known = capabilities_.fields;
        samples_[row].epoch = 1;
    }
}

// A row keeps its role for two looks: paused by the first, it is paused at both ends of the second.
void PreparedDevice::prepare_samples()
{
    const auto now = clock_.now().mono;
    const auto dt_us = static_cast<std::uint64_t>(whole_us(now) - whole_us(read_at_));
    read_at_ = now;
    const auto rows = static_cast<std::uint32_t>(samples_.size());
    const auto phase = static_cast<unsigned>(looks_ / 2);
    for (auto& sample : samples_) {
        const auto says = told(sample.slot.value, rows, {}, phase, dt_us);
        sample.read_at = now;
        sample.pause_state = says.state;
        sample.paused_now = says.state != watchdog::PauseState::not_paused;
        sample[Field::pause_us] += says.pause_us;
        sample[Field::rx_xoff] += says.xoff;
    }
}

Result<void> PreparedDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    if (!rows.empty()) {
        for (const auto slot : rows) {
            into.put(samples_[slot.value]);
        }
        return {};
    }
    looked_(looks_, own_cpu_s_);
    const auto before = thread_cpu_s();
    prepare_samples();
    own_cpu_s_ += thread_cpu_s() - before;
    ++looks_;
    for (const auto& sample : samples_) {
        into.put(sample);
    }
    return {};
}

}  // namespace petrel::bench

#include "fabric.hpp"

#include <chrono>
#include <utility>

#include "base/assert.hpp"

namespace petrel::bench {

using std::chrono::milliseconds;
using watchdog::Field;
using watchdog::PauseState;

namespace {

constexpr std::uint32_t kQueuesPerPort = kPriorities;
constexpr std::uint32_t kPortsPerDevice = 1U << 16U;  // port ids have 16 bits: more queues need two devices

enum class Role : std::uint8_t { quiet, brief, paused_now, running, near_limit };

Role role(std::uint32_t row, std::uint32_t rows, const Mix& mix, unsigned phase)
{
    const std::uint32_t other = phase % 2;
    if (mix.near_limit != 0) {
        const auto stride = rows / mix.near_limit;
        if (row % stride == other * (stride / 2)) {
            return Role::near_limit;
        }
        if (row % (stride / 2) == 0) {
            return Role::quiet;  // near its limit in the other phase
        }
    }
    // Spread evenly over 0..999, without a pattern that the hardware could predict.
    const std::uint32_t mixed = row * 2'654'435'761U;
    const auto spread = static_cast<std::uint32_t>((std::uint64_t{mixed} * 1000) >> 32U);
    const auto place = (spread + other * 500) % 1000;
    if (place < mix.running_of_1000) {
        return Role::running;
    }
    if (place < mix.paused_now_of_1000) {
        return Role::paused_now;
    }
    return place % 20 == 19 ? Role::brief : Role::quiet;
}

PauseReading reading_of(Role role, std::uint64_t dt_us)
{
    switch (role) {
    case Role::quiet: return {};
    case Role::brief: return {PauseState::not_paused, dt_us / 100, 3};
    case Role::paused_now: return {PauseState::not_continuous, dt_us / 10, 30};
    case Role::running:
    case Role::near_limit: break;
    }
    return {PauseState::paused, dt_us, 1000};
}

}  // namespace

std::string_view name(PauseSignal signal) { return signal == PauseSignal::state ? "state" : "counter"; }

PauseReading pause_reading(std::uint32_t row, std::uint32_t rows, const Mix& mix, unsigned phase, std::uint64_t dt_us)
{
    return reading_of(role(row, rows, mix, phase), dt_us);
}

watchdog::Inventory inventory(std::uint32_t rows)
{
    watchdog::Inventory all;
    all.rows.reserve(rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
        const auto port = row / kQueuesPerPort;
        const PortId id{DeviceId{port / kPortsPerDevice}, static_cast<std::uint16_t>(port % kPortsPerDevice)};
        const auto priority = static_cast<std::uint8_t>(row % kQueuesPerPort);
        all.rows.push_back({Target{id, Priority{priority}}, BitRate{100'000'000'000}, true});
    }
    return all;
}

watchdog::Capabilities capabilities(PauseSignal signal)
{
    watchdog::Capabilities can;
    can.fields = signal == PauseSignal::state ? bit(Field::pause_state)
                                              : bit(Field::pause_us) | bit(Field::rx_xoff) | bit(Field::paused_now);
    can.survive = can.fields;
    can.treatments = bit(watchdog::Treatment::drop);
    can.reads_back = true;
    return can;
}

watchdog::Watchlist watchlist(std::uint32_t rows, PauseSignal signal)
{
    watchdog::PolicyBook book;
    book.policies.push_back(watchdog::find_preset("sonic")->policy);
    book.policies.front().priorities = 0xff;
    book.assigned.push_back({0, std::nullopt, std::nullopt});
    auto list = compile(book, inventory(rows), capabilities(signal));
    PETREL_ASSERT(list.has_value(), "the bench's own policy does not fit its own device");
    return std::move(*list);
}

void look_at_all(watchdog::Intake& intake, std::uint32_t rows, PauseSignal signal, const Mix& mix, unsigned phase)
{
    const auto& policy = watchdog::find_preset("sonic")->policy;
    const Instant now{std::chrono::seconds{10}};
    for (const bool baseline : {true, false}) {
        intake.begin();
        for (std::uint32_t row = 0; row < rows; ++row) {
            const auto is = role(row, rows, mix, phase);
            // So close to its limit that the next poll would be too late, but not yet full.
            const Duration dt = is == Role::near_limit ? policy.detect - policy.poll / 2 : policy.poll;
            const auto reading = reading_of(is, static_cast<std::uint64_t>(whole_us(dt)));
            watchdog::Sample sample;
            sample.slot = Slot{row};
            sample.known = capabilities(signal).fields;
            sample.epoch = 1;
            sample.read_at = baseline ? now - dt : now;
            sample.pause_state = baseline ? PauseState::not_paused : reading.state;
            // A row with a running clock was already paused before; without transitions no other signal proves it.
            sample.paused_now =
                reading.state == PauseState::paused || (!baseline && reading.state != PauseState::not_paused);
            sample[Field::pause_us] = baseline ? 0 : reading.pause_us;
            sample[Field::rx_xoff] = baseline ? 0 : reading.xoff;
            intake.put(sample);
        }
    }
}

}  // namespace petrel::bench

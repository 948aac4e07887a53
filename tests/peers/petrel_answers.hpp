// Our decisions about a trace: the real intake, agent and watchdog, fed in the same way as by `petrel replay`.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "answers.hpp"
#include "runtime/replay.hpp"
#include "support/world.hpp"
#include "watchdog/policy.hpp"

namespace petrel::peers {

inline device::DeviceTrace as_device(const Trace& trace)
{
    using watchdog::Field;
    constexpr auto kFields = bit(Field::rx_pfc) | bit(Field::on2off) | bit(Field::paused_now) | bit(Field::occupancy) |
                             bit(Field::tx_packets) | bit(Field::pause_us);
    device::DeviceTrace device;
    device.device = "leaf1";
    device.inventory = test::small_inventory(1);
    device.capabilities = test::able(kFields);
    for (const auto& reading : readings(trace)) {
        watchdog::Sample sample;
        const auto at_us = static_cast<std::int64_t>(reading.at_us);
        sample.read_at = instant_from_us(at_us);
        sample.known = kFields;
        sample.epoch = 1;
        sample.paused_now = reading.paused;
        sample[Field::rx_pfc] = reading.rx;
        sample[Field::on2off] = reading.on2off;
        sample[Field::occupancy] = reading.occ;
        sample[Field::tx_packets] = reading.tx;
        sample[Field::pause_us] = reading.dur_us;
        device.samples.push_back(sample);
        device.time_us.push_back(at_us);
    }
    return device;
}

inline Answer run_petrel(std::string_view preset, const Trace& trace)
{
    using std::chrono::microseconds;
    auto policy = watchdog::find_preset(preset)->policy;
    policy.detect = microseconds{trace.timers.detect_us};
    policy.restore = microseconds{trace.timers.restore_us};
    policy.poll = microseconds{trace.timers.poll_us};
    if (trace.timers.alert) {
        policy.action = watchdog::Treatment::none;
    }
    EXPECT_TRUE(check(policy).empty()) << trace.id;
    const auto replayed = runtime::replay(as_device(trace), {}, test::book_of(policy));
    if (!replayed) {
        ADD_FAILURE() << trace.id << ": " << preset << " cannot watch the trace";
        return {};
    }
    Answer answer;
    for (const auto& event : replayed->events) {
        using enum watchdog::EventKind;
        const bool storm = event.kind == storm_detected || event.kind == storm_alert;
        EXPECT_TRUE(storm || event.kind == storm_restored) << trace.id << ": " << name(event.kind);
        answer.push_back({static_cast<std::size_t>(whole_us(event.at)) / trace.period_us, storm});
    }
    return answer;
}

}  // namespace petrel::peers

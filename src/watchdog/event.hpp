// What the watchdog says and hears: commands out, their outcomes back; events with their evidence; notices and orders
// in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "watchdog/observation.hpp"
#include "watchdog/rule.hpp"

namespace petrel::watchdog {

// A desired state: repeating a command is harmless. want none = restore.
struct Command {
    std::uint64_t id{};
    std::uint64_t cause{};  // the event that asked for it
    Target target;
    Treatment want{};
    Instant deadline;
};

enum class Verdict : std::uint8_t {
    confirmed,  // read back as wanted
    accepted,   // no read-back: the effect has to be seen
    refused,    // the device will not do this
    failed,     // it tried and could not
    differs,    // read back as something else
    timed_out   // nobody knows
};
std::string_view name(Verdict);

struct Outcome {
    std::uint64_t command{};
    Verdict verdict{};
    Treatment in_effect{};  // what the device showed; holds for confirmed and differs
    Instant at;
    std::string detail;  // the device's own words on refused and failed
};

// One look at one row, as the decision saw it.
struct Interval {
    std::uint32_t dt_us{};
    Fields known{};
    std::uint8_t pause{};
    std::array<std::uint32_t, kFields> value{};
};

// Why: the rule, the time it proved, and the last looks, newest last.
struct Evidence {
    Rule rule;
    Duration proven{};
    Duration limit{};
    std::uint8_t looks{};
    std::array<Interval, 4> last{};
};

enum class EventKind : std::uint8_t {
    storm_detected,
    storm_restored,
    storm_alert,  // a storm that is not acted on
    mitigation_failed,
    storm_latched,
    pause_too_long,
    pause_too_long_cleared,
    nic_latched,
    restore_failed,
    storm_escalated,
    storm_released,
    probe_failed,  // the half-open probe met the storm again
    order_taken,
    count_
};
std::string_view name(EventKind);

enum class Reason : std::uint8_t {
    proven,  // the rule's clock is full
    quiet,   // no pause for T1
    forced,  // the release time has come
    probe,   // a half-open probe decided
    link_down,
    blast_radius,  // too many queues are mitigated already
    repeated,      // too many storms in the latch window
    operator_,
    red_switch,
    stop,
    reconfigured,
    reconciled,  // found so at start
    device,      // the device said so
    refused,
    failed,
    differs,
    timed_out,
    no_effect,  // written, but the queue shows no sign of it
    count_
};
std::string_view name(Reason);

struct Event {
    std::uint64_t seq{};
    std::uint64_t cause{};  // seq of the event this one follows from; 0 = none
    Instant at;
    EventKind kind{};
    Reason reason{};
    Target target;
    bool whole_device{};     // an order that names no target
    std::uint16_t policy{};  // index into the watchlist's policies; kUnwatched = none
    Treatment action{};      // in effect or, while not yet confirmed, wanted
    Evidence evidence;
    std::string by;  // an order's giver; a device's words
};

struct Notice {
    enum class Kind : std::uint8_t { detected, recovered, link_up, link_down } kind{};
    Target target;
    Instant at;
};

// Orders of a person. They are exempt from the limits, and each leaves an order_taken event.
struct Order {
    enum class Kind : std::uint8_t {
        mitigate,
        release,
        red_switch_on,
        red_switch_off,
        stop,
        stop_and_hold,
        hold,  // what is mitigated stays so until it is released
        clear  // statistics to zero, except of storms that go on: what is counted of one belongs together
    } kind{};
    std::optional<Target> target;  // none = all
    std::string by;
};
std::string_view name(Order::Kind);

struct QueueStats {
    std::uint64_t detected{};
    std::uint64_t restored{};
    // By the big red switch, which is no storm: how often it has begun to treat the queue, and ended.
    std::uint64_t red_switched{};
    std::uint64_t red_released{};
    // While mitigated: over all storms, and over the last one.
    std::uint64_t tx_ok{}, tx_drop{}, rx_ok{}, rx_drop{};
    std::uint64_t tx_ok_last{}, tx_drop_last{}, rx_ok_last{}, rx_drop_last{};
    Duration in_storm{};
    Duration longest_pause{};
    std::optional<Instant> last_detected;
    std::optional<Instant> last_restored;
    bool operator==(const QueueStats&) const = default;
};

}  // namespace petrel::watchdog

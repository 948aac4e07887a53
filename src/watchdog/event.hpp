// The watchdog's inputs and outputs besides observations: commands and their outcomes, events with their evidence,
// notices from the device and orders from operators.
#pragma once

#include <array>
#include <compare>
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

// A command names the desired state, so repeating it is harmless. want == Treatment::none restores the target.
struct Command {
    std::uint64_t id{};
    std::uint64_t cause{};  // seq of the event that led to it
    Target target;
    Treatment want{};
    Instant deadline;
    // A treatment that the device accepted, now or from an earlier process, and does not show yet may still take
    // effect. A restore whose write fails is not proven by a device that shows none.
    bool late_treatment{};
};

enum class Verdict : std::uint8_t {
    confirmed,  // read back as wanted
    accepted,   // no read-back: later samples must show the effect
    refused,    // the device rejected the command
    failed,     // the device tried and could not
    differs,    // read back as something else
    timed_out   // no answer: the state of the device is unknown
};

struct Outcome {
    std::uint64_t command{};
    Verdict verdict{};
    Treatment in_effect{};  // as read back from the device; valid for confirmed and differs
    Instant at;
    std::string detail;  // the device's error text for refused and failed
};

// One look at one row, as the decision saw it.
struct Interval {
    std::uint32_t dt_us{};
    Fields known{};
    std::uint8_t pause{};
    std::array<std::uint32_t, kFields> value{};
};

// Why an event was raised: the rule, the time it proved, and the last looks, newest last.
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
    storm_alert,  // a storm that is not mitigated
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
    link_down,
    link_up,
    close_switch_port,  // a NIC refused every treatment: only its switch can stop the pause
    count_
};
std::string_view name(EventKind);
// Whether events of this kind are about a treatment.
constexpr bool has_action(EventKind kind) { return kind < EventKind::order_taken; }

enum class Reason : std::uint8_t {
    proven,  // the rule's clock is full
    quiet,   // no pause for T1
    forced,  // the policy's release time has passed
    probe,   // a half-open probe decided
    link_down,
    blast_radius,  // too many queues are mitigated already
    repeated,      // too many storms in the latch window
    operator_,
    red_switch,
    stop,
    reconfigured,
    reconciled,  // found on the device at start
    reboot,      // the machine of the NIC was booted again
    device,      // the device reported it
    refused,
    failed,
    differs,
    timed_out,
    no_effect,  // the device accepted the treatment, but the queue shows no effect
    count_
};
std::string_view name(Reason);

// The reason why a link went down, as numbers of link/reasons.hpp, link/taxonomy.hpp and link/raw_code.hpp. The
// watchdog only passes it on.
struct LinkReason {
    std::uint64_t number{};            // of the event at its port; a link_up has the number of the event that it ends
    std::uint8_t ldr{};                // the reason of this end
    std::optional<std::uint8_t> nldr;  // the reason that the neighbour sent; none: the device cannot receive one
    std::uint16_t cause{};             // the reason, or a more precise one
    std::string list;                  // the vendor's list of codes, and the code; empty: the device gives none
    std::optional<std::uint64_t> code;
    auto operator<=>(const LinkReason&) const = default;
};

struct Event {
    std::uint64_t seq{};
    std::uint64_t cause{};  // seq of the event this one follows from; 0 = none
    Instant at;
    EventKind kind{};
    Reason reason{};
    Target target;
    bool whole_device{};     // an order without a target
    std::uint16_t policy{};  // index into the watchlist's policies; kUnwatched = none
    Treatment action{};      // in effect or, while not yet confirmed, wanted
    Evidence evidence;
    std::string by;                    // the order and who gave it, the device's error text, or why the link went down
    std::optional<LinkReason> link{};  // of a link_down or link_up
};

struct Notice {
    enum class Kind : std::uint8_t { detected, recovered, link_up, link_down } kind{};
    Target target;
    Instant at;
    Treatment action{};   // detected, recovered: what the device applies by itself; none = not known
    Duration interval{};  // ... and after which time it detects or recovers; zero = not known
    Duration recovery{};  // detected: how long its treatment lasts; zero = as long as the policy's T1
};

// The link of a port went down or came up, for the log of events: a link_down or link_up event with this text.
struct LinkEvent {
    PortId port;
    bool up{};
    std::string why;
    std::optional<LinkReason> reason{};
};

// Orders from an operator. max_mitigated does not limit them, and each produces an order_taken event.
struct Order {
    enum class Kind : std::uint8_t {
        mitigate,
        release,   // not of a latched NIC
        repaired,  // releases also a latched NIC
        red_switch_on,
        red_switch_off,
        stop,
        stop_and_hold,
        hold,  // mitigated queues stay mitigated until an operator releases them
        clear  // resets statistics, except of queues in a storm: the counts of one storm belong together
    } kind{};
    std::optional<Target> target;  // none = all
    std::string by;
};
std::string_view name(Order::Kind);

struct QueueStats {
    std::uint64_t detected{};
    std::uint64_t restored{};
    // How often the big red switch began and ended a treatment of the queue. These are not storms.
    std::uint64_t red_switched{};
    std::uint64_t red_released{};
    // Packets counted while mitigated: in all storms, and in the last storm.
    std::uint64_t tx_ok{}, tx_drop{}, rx_ok{}, rx_drop{};
    std::uint64_t tx_ok_last{}, tx_drop_last{}, rx_ok_last{}, rx_drop_last{};
    Duration in_storm{};
    Duration longest_pause{};
    std::optional<Instant> last_detected;
    std::optional<Instant> last_restored;
    bool operator==(const QueueStats&) const = default;
};

}  // namespace petrel::watchdog

// What a device can report about its queues, and what it reported. A device declares Capabilities and an Inventory of
// rows once. Each look returns raw Samples (cumulative counters), which the Intake turns into Observations (what
// happened since the row was last read). Observations are columns, not structs, because the poll pass runs over a
// million rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/indexed.hpp"
#include "base/time.hpp"

namespace petrel::watchdog {

enum class Field : std::uint8_t {
    pause_state,    // tri-state since the last read (SAI's continuous deadlock state)
    paused_now,     // paused at the instant of the read
    pause_us,       // time the queue was paused
    rx_pfc,         // PFC frames received, XOFF and XON together: never used as rx_xoff
    rx_xoff,        // PFC frames received with a quanta above zero for this priority
    rx_xon,         // ... with quanta zero
    on2off,         // pauses that ended
    tx_packets,     // sent from the queue
    tx_bytes,       //
    tx_drops,       // discarded at the queue
    rx_packets,     // received in the priority group (of a NIC: that left the port buffer)
    rx_drops,       // discarded on the way in
    occupancy,      // bytes in the queue at the read
    pause_tx,       // pause frames sent
    pause_tx_us,    // time for which pause was asserted towards the peer
    pause_timeout,  // the port's pause-timeout status: a bit per channel, zero = no channel timed out
    count_
};

inline constexpr auto kFields = static_cast<std::size_t>(Field::count_);
using Fields = std::uint32_t;  // one bit per Field

constexpr Fields bit(Field f) { return 1U << static_cast<unsigned>(f); }
constexpr bool has(Fields set, Field f) { return (set & bit(f)) != 0; }
std::string_view name(Field);
std::optional<Field> field_from_name(std::string_view);

// A frame on a lossless fabric is no longer than this, in bytes.
inline constexpr std::uint32_t kLongestFrame = 9216;

// Levels are values at the time of the read. Every other field is a counter that only grows.
inline constexpr Fields kLevels =
    bit(Field::pause_state) | bit(Field::paused_now) | bit(Field::occupancy) | bit(Field::pause_timeout);

// The fields that show received pause.
inline constexpr Fields kPauseSignals =
    bit(Field::pause_state) | bit(Field::paused_now) | bit(Field::pause_us) | bit(Field::rx_xoff) | bit(Field::rx_pfc);

// What is applied to a queue or port, from weak to strong: the code compares treatments.
enum class Treatment : std::uint8_t {
    none,
    ignore_pause,  // received pause is not honoured; everything is forwarded
    drop_egress,   // queued and later packets to the queue are discarded, but ingress still pauses its senders
    drop,          // the same, and packets received in the matching priority group are discarded too: no pause goes out
    lossless_off,  // lossless mode off for the port, lossless packets to and from the peer discarded
    squeeze,       // maximum frame size below the minimum: every frame to the peer is discarded; received pause ignored
    mute_pause,    // a NIC stops sending pause
    port_down,
    count_
};

using Treatments = std::uint32_t;  // one bit per Treatment
constexpr Treatments bit(Treatment t) { return 1U << static_cast<unsigned>(t); }
constexpr bool has(Treatments set, Treatment t) { return (set & bit(t)) != 0; }
// A treatment that only NICs have.
constexpr bool is_of_nic(Treatment t) { return t == Treatment::mute_pause || t == Treatment::port_down; }
std::string_view name(Treatment);
std::optional<Treatment> treatment_from_name(std::string_view);

// What a device offers, as data. Code checks these capabilities and never the vendor.
struct Capabilities {
    Fields fields{};          // the fields it can report
    Fields survive{};         // the fields that still count while a queue is mitigated: only these prove quiet then
    Treatments treatments{};  // the treatments it supports
    Treatments port_wide{};   // the treatments that affect the whole port, whichever queue needs them
    bool reads_back{};        // a treatment can be read back
    bool acts_later{};        // other software carries out a command: its effect comes after the write
    bool detects_itself{};    // finds storms in hardware and reports them by notice
    bool reads_links{};       // reports when and why the links of its ports go down
    Duration refresh{};       // how often it updates its counters; zero = with every read
    Duration look_waits{};    // a look may wait this long for new counters; zero = it does not wait
    // A time stamp is off by a fixed offset and by an error. The errors of all stamps lie within a window of this
    // width, so that the time between two stamps is wrong by at most this much. Zero: stamps are exact.
    Duration stamp_uncertainty{};
};

// A port has a row of its own (no priority) for port-level signals.
struct RowInfo {
    Target target;
    BitRate speed;        // zero = not known
    bool host_facing{};   // the peer is a server
    bool lossless{true};  // PFC is on for the priority; true, too, if the device does not show that
};

struct Inventory {
    std::vector<RowInfo> rows;     // rows[slot]
    std::vector<PortNames> ports;  // ports[PortId::index]
    std::uint32_t generation{};    // changes whenever rows or ports change
};

// "Ethernet0:3" for a queue, "Ethernet0" for a port.
std::string to_string(const Inventory&, const Target&);

enum class PauseState : std::uint8_t {
    not_paused,     // not paused now; proves nothing about the interval
    paused,         // paused during the whole interval since the last read
    not_continuous  // paused now, but not for the whole interval
};

// One row as the device reported it, with cumulative counters. epoch changes when the link or its speed changes and
// when counters are cleared or reset; 0 = link down.
struct Sample {
    Slot slot;
    Instant read_at;
    Fields known{};  // no bit at all: the row could not be read
    std::uint32_t epoch{};
    PauseState pause_state{};
    bool paused_now{};
    Fields survives{~Fields{}};  // the fields of Capabilities::survive that this row keeps while mitigated
    std::array<std::uint64_t, kFields> raw{};

    std::uint64_t& operator[](Field f) { return raw[static_cast<std::size_t>(f)]; }
    std::uint64_t operator[](Field f) const { return raw[static_cast<std::size_t>(f)]; }
};

// Pause bits of an interval. A set bit is proven; a clear bit proves nothing.
inline constexpr std::uint8_t kPausedBefore = 1;  // paused at the previous read
inline constexpr std::uint8_t kPausedNow = 2;     // paused at this read
inline constexpr std::uint8_t kNotPausedNow = 4;  // not paused at this read
inline constexpr std::uint8_t kThroughout = 8;    // paused all the time between the two
inline constexpr std::uint8_t kTrailing = 16;     // the interval's pause time is one run that still goes on
inline constexpr std::uint8_t kQuiet = 32;        // no pause between the two, by any signal
inline constexpr std::uint8_t kQuietStill = 64;   // the same, by signals that survive a mitigation
inline constexpr std::uint8_t kLinkDown = 128;    // the link is down at this read

// Three more bits, kept in the upper bits of `known` because they come from counters.
inline constexpr Fields kPauseSeen =
    1U << 28U;  // XOFF frames, pause time, transitions or state show pause in the interval
inline constexpr Fields kBroken = 1U << 29U;  // a pause ended between the two reads
inline constexpr Fields kKeepsPausing =
    1U << 30U;  // in this interval and the one before, enough pause frames to hold the peer were sent

// What happened to each row since it was last read. Spans are 64-byte aligned and padded to whole cache lines.
struct Observations {
    IndexedSpan<Slot, std::uint32_t> dt_us;  // measured; 0 = not looked at, or an unchanged stamp
    IndexedSpan<Slot, Fields> known;         // a set bit: the value holds for the whole interval
    IndexedSpan<Slot, std::uint8_t> pause;   // kPausedBefore ... kLinkDown
    std::array<IndexedSpan<Slot, std::uint32_t>, kFields>
        value;                      // differences and levels, saturating; empty = not a field of the device
    std::span<const Slot> touched;  // the rows that were looked at
    bool all{};                     // every row was looked at: touched need not be read

    IndexedSpan<Slot, std::uint32_t> column(Field f) const { return value[static_cast<std::size_t>(f)]; }
};

}  // namespace petrel::watchdog

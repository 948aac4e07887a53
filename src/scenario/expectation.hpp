// What a run must result in: one quantity, one window of time, and the range that the quantity must be in. This is only
// data; the lab measures and judges. A new kind of expectation needs a struct here, a row in the reader and a
// measurement in the judge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "topology/topology.hpp"
#include "twin/drops.hpp"
#include "twin/sim_time.hpp"
#include "watchdog/event.hpp"

namespace petrel::scenario {

using topology::NodeId;
using twin::Ps;

struct Range {
    double least{-std::numeric_limits<double>::infinity()};
    double most{std::numeric_limits<double>::infinity()};
    bool contains(double value) const { return value >= least && value <= most; }
};

// The unit in which a quantity is written and shown.
enum class Unit : std::uint8_t {
    count,
    time,
    rate,
    share
};  // values are stored as a number, ps, bit/s, a number from 0 to 1

// The number of events of these kinds.
struct EventsExpected {
    std::vector<watchdog::EventKind> kinds;
    std::optional<watchdog::Reason> reason;
    std::vector<NodeId> devices;        // none = any
    std::optional<topology::End> port;  // none = any
    std::uint8_t priorities{0xff};      // an event of a whole port matches every priority
};

// A measurement of a traffic item over the window.
struct TrafficExpected {
    enum class What : std::uint8_t { delivered, lost, loss, rate, finished, count_ } what{};
    std::uint32_t item{};
};

// A measurement of ports over the window, summed over the ports and priorities.
struct PauseExpected {
    enum class What : std::uint8_t { paused, received, sent, count_ } what{};  // time; pause frames
    std::vector<topology::End> ports;
    std::uint8_t priorities{0xff};
};

struct DropsExpected {
    std::vector<NodeId> nodes;       // none = all
    std::vector<twin::Drop> causes;  // none = all
};

// A state at the end of the window.
struct StateExpected {
    // Queues, queues, frames, queues that an agent should watch and cannot.
    enum class What : std::uint8_t { mitigated, paused, in_flight, unseen, count_ } what{};
    std::vector<NodeId> nodes;  // none = all
};

// The number of nodes that had frames to send in the window and sent none.
struct FrozenExpected {
    std::vector<NodeId> nodes;  // none = all
};

// An end of a link at the end of the window: its registers, and the manager's log of it.
struct LinkExpected {
    enum class What : std::uint8_t {
        reason,
        neighbor_reason,
        events,
        last_reason,
        last_neighbor_reason,
        count_
    } what{};
    topology::End port;
};

// What the manager in use has, at the end of the window, of the agents of these devices.
struct ManagerExpected {
    enum class What : std::uint8_t {
        errors,      // of ports, open
        opened_at,   // when the last error was opened, by the clock of the device
        closed_at,   // when the last error that is over was closed
        events,      // in its history
        missing,     // events that the agents have written and that are not in its history
        doubled,     // events that are in its history more than once
        disordered,  // events that are in its history behind a later one, and were not reported as forgotten before
        forgotten,   // events that the agents forgot before the manager had them
        unknown,     // devices that do not report
        count_
    } what{};
    std::vector<NodeId> devices;        // none = all that have an agent
    std::optional<topology::End> port;  // of errors; none = any
    std::uint8_t priorities{0xff};      // of errors; an error of a whole port matches every priority
};

// The number of deadlocked queues at the end of the window, among those that sent nothing in it.
struct DeadlockExpected {};

using Quantity = std::variant<EventsExpected, TrafficExpected, PauseExpected, DropsExpected, StateExpected,
                              FrozenExpected, DeadlockExpected, LinkExpected, ManagerExpected>;

struct Expectation {
    std::uint32_t line{};  // in `file`
    std::string subject;   // in words, as "traffic data 1: loss"
    std::string wanted;    // the range as it was written
    Ps from{};
    Ps until{};  // the window is [from, until)
    Range range;
    Unit unit{};
    Quantity quantity;
    std::string file{};  // the shared defaults that hold it; empty: the scenario file
};

enum class Verdict : std::uint8_t { met, failed, not_reached };  // not_reached: the run ended too early
inline constexpr std::array<std::string_view, 3> kVerdicts{"met", "failed", "not reached"};

constexpr std::string_view name(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

}  // namespace petrel::scenario

// What must come of a run, and what must not: one quantity, one window of time, one range it has to be in. As data; the
// lab measures and judges. A new thing to expect is a struct here, a row in the reader and a measure in the judge.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
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

// How a quantity is written and shown.
enum class Unit : std::uint8_t { count, time, rate, share };  // in 1, ps, bit/s, 1

// How many events of this kind there were.
struct EventsExpected {
    std::vector<watchdog::EventKind> kinds;
    std::optional<watchdog::Reason> reason;
    std::vector<NodeId> devices;        // none = any
    std::optional<topology::End> port;  // none = any
    std::uint8_t priorities{0xff};      // an event of a whole port is of every priority
};

// Of an item of the traffic, over the window.
struct TrafficExpected {
    enum class What : std::uint8_t { delivered, lost, loss, rate, finished, count_ } what{};
    std::uint32_t item{};
};

// Of ports, summed over them and their priorities, over the window.
struct PauseExpected {
    enum class What : std::uint8_t { paused, received, sent, count_ } what{};  // time; pause frames
    std::vector<topology::End> ports;
    std::uint8_t priorities{0xff};
};

struct DropsExpected {
    std::vector<NodeId> nodes;       // none = all
    std::vector<twin::Drop> causes;  // none = all
};

// At the end of the window.
struct StateExpected {
    enum class What : std::uint8_t { mitigated, paused, in_flight, count_ } what{};  // queues, queues, frames
    std::vector<NodeId> nodes;                                                       // none = all
};

// Nodes that had something to send in the window and sent none of it.
struct FrozenExpected {
    std::vector<NodeId> nodes;  // none = all
};

// Of an end of a link, at the window's end: its registers, and what the manager has logged of it.
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

// Queues that wait for each other for ever, at the window's end, among those that sent nothing in it.
struct DeadlockExpected {};

using Quantity = std::variant<EventsExpected, TrafficExpected, PauseExpected, DropsExpected, StateExpected,
                              FrozenExpected, DeadlockExpected, LinkExpected>;

struct Expectation {
    std::uint32_t line{};  // in the scenario file
    std::string subject;   // in words, as "traffic data 1: loss"
    std::string wanted;    // the range as it was written
    Ps from{};
    Ps until{};  // the window is [from, until)
    Range range;
    Unit unit{};
    Quantity quantity;
};

}  // namespace petrel::scenario

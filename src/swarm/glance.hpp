// The input of the oracles at one moment of a run, as plain data: the true state of every lossless queue of the
// switches, and what the agents have decided about it. The hardware's part is read from the twin itself, not through a
// device, so that faults of counters do not change it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/experiment.hpp"
#include "watchdog/checkpoint.hpp"
#include "watchdog/policy.hpp"

namespace petrel::swarm {

using scenario::NodeId;
using topology::End;
using twin::Ps;

inline Ps in_ps(Duration d) { return static_cast<Ps>(d.count()) * twin::kNs; }

// Where the queues, ports and NICs of a glance are. The same for all glances of a run.
struct Places {
    struct Queue {
        std::uint32_t port{};  // index into ports
        std::uint8_t priority{};
    };
    struct Port {
        End end;
        std::uint32_t first_queue{};
        std::uint32_t queues{};
        std::optional<std::uint32_t> peer;  // index into ports, if the other end is a switch
        std::optional<std::uint32_t> nic;   // index into nics, if it is a host
        std::string name;                   // "leaf0:Ethernet4"
    };
    struct Nic {
        NodeId node;
        std::uint32_t port{};  // of the switch
        std::string name;
    };

    std::vector<Queue> queues;
    std::vector<Port> ports;
    std::vector<Nic> nics;

    std::optional<std::uint32_t> port_at(const End&) const;
    std::optional<std::uint32_t> nic_at(NodeId) const;
    std::string name(std::uint32_t queue) const;  // "leaf0:Ethernet4:3"
};

// The parts of a row's policy that the oracles use.
struct PolicyFacts {
    bool watched{};
    watchdog::Criterion criterion{};
    watchdog::Treatment action{};
    watchdog::Release release{};
    Duration detect{};
    Duration restore{};
    Duration probe{};
    Duration backoff_max{};
    Duration poll{};         // of the device
    Duration uncertainty{};  // of its time stamps
    std::uint32_t latch_count{};
    std::uint32_t slack_ppm{};
    bool needs_backlog{};
};

// One row of an agent. No agent runs, or it has no such row: the phase is off.
struct RowGlance {
    watchdog::Phase phase{};
    watchdog::Treatment believed{};  // in effect, as the agent knows it
    PolicyFacts policy;
};

struct QueueGlance {
    bool paused{};
    bool treated{};  // registers of the queue or of its port are not as configured
    bool discards{};
    bool mute{};        // sends no pause for the priority
    bool recovering{};  // the hardware treats it by itself
    std::uint32_t bytes{};
    std::uint64_t pauses_ended{};
    std::uint64_t tx_drops{};
    std::uint64_t rx_drops{};
    std::uint64_t pause_sent{};
    RowGlance row;
};

struct PortGlance {
    bool up{};
    bool treated{};  // registers that belong to the port as a whole
    std::uint32_t epoch{};
    RowGlance row;
};

struct NicGlance {
    std::uint64_t overflows{};
    bool muted{};  // its watchdog has switched pause off
    bool up{};
    std::uint32_t epoch{};
    std::uint64_t taken{};                      // frames that left its buffer
    std::array<Ps, kPriorities> pausing_for{};  // total time for which it paused its switch, by priority
    RowGlance row;                              // of its port
};

// A device whose agent runs.
struct DeviceGlance {
    NodeId node;
    runner::DeviceRunner::Condition condition{};
    Duration poll{};  // zero: it is not watched yet
};

// A device whose agent reports to a manager.
struct ReportGlance {
    NodeId node;
    std::optional<Ps> heard_at;  // when the process of the manager in use took the last report
    bool shown{};                // the manager shows that the device reports
};

// An event, with its place and its policy in the run's own terms.
struct EventGlance {
    watchdog::Event event;
    NodeId node;
    std::optional<std::uint32_t> port;   // of a switch: index into Places::ports
    std::optional<std::uint32_t> queue;  // index into Places::queues
    std::optional<std::uint32_t> nic;    // index into Places::nics
    PolicyFacts policy;
    std::string where;  // "leaf0:Ethernet4:3"
};

struct Glance {
    Ps at{};
    std::vector<QueueGlance> queues;
    std::vector<PortGlance> ports;
    std::vector<NicGlance> nics;
    std::vector<DeviceGlance> devices;
    std::vector<ReportGlance> reports;  // empty: no process of the manager in use runs
    std::vector<EventGlance> events;    // since the last glance
};

// An agent has decided something about the port since the last glance: a treatment may have begun and ended meanwhile.
bool decided(const Places&, std::uint32_t port, const Glance&);

// A full clock led to the event, which announces a storm.
bool announces_proven_storm(const watchdog::Event&);

// The end of a run.
struct Ending {
    struct Site {
        bool agent_runs{};
        bool by_order{};  // an operator or the big red switch wants the treatment
    };

    // What the manager in use has of a device.
    struct Managed {
        NodeId node;
        lab::HistoryFindings history;
        std::set<std::string> errors;  // the names of its ports in error
    };

    twin::Totals totals;
    std::vector<Site> queues;
    std::vector<Site> nics;
    std::vector<Managed> managed;  // empty: no process of the manager in use runs
};

// Takes glances of an experiment between two pieces of its run.
class Watcher {
public:
    explicit Watcher(lab::Experiment&);  // before the experiment runs

    const Places& places() const { return places_; }
    Glance glance();
    Ending ending() const;

private:
    void read_agents(Glance&) const;
    void read_manager(Glance&) const;
    void read_manager(Ending&) const;
    void read_nic_agent(NodeId, const watchdog::Watchdog&, Glance&) const;
    std::optional<std::uint32_t> queue_at(std::uint32_t port, const Target&) const;

    lab::Experiment& experiment_;
    Places places_;
    std::vector<twin::PortRegisters> configured_;  // by port
};

}  // namespace petrel::swarm

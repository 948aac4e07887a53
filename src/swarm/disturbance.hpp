// When a scenario disturbs an agent or its device. The bounds of detection hold for truthful samples, those of
// restoration also for completed writes, so they are judged only where nothing disturbs these.
#pragma once

#include <cstdint>
#include <vector>

#include "scenario/scenario.hpp"

namespace petrel::swarm {

struct Disturbance {
    scenario::NodeId device;
    twin::Ps from{};
    twin::Ps until{};    // kForever: for some calls, at any later time
    twin::Ps settles{};  // retries back off: the next one comes at the latest as long after the end as the fault lasted
    enum class Of : std::uint8_t {
        writes,    // writes of treatments or of the memory fail or are slow, or the wall clock jumps
        agent,     // the agent does not run, has other policies, ports or orders, or its treatments come and go late
        speed,     // looks or the loop are slow
        counters,  // counters or time stamps are wrong
    } of{};
};

class Disturbances {
public:
    explicit Disturbances(const scenario::Scenario&);

    bool any(scenario::NodeId device, twin::Ps from, twin::Ps until) const;
    // The agent could not follow the queues all the time: anything but writes.
    bool blind(scenario::NodeId device, twin::Ps from, twin::Ps until) const;
    // It could not know the queues as they are at `until`: speed or counters.
    bool misled(scenario::NodeId device, twin::Ps from, twin::Ps until) const;
    // No more than one fault disturbs the device.
    bool at_most_one(scenario::NodeId device, twin::Ps from, twin::Ps until) const;
    // The agent lost its memory, the last record of it, the memory of a port that was absent when it started, or died
    // before it published what it remembers.
    bool memory_lost(scenario::NodeId device, twin::Ps from, twin::Ps until) const;
    bool lies(scenario::NodeId device) const;         // the device reads treatments back that are not in force
    twin::Ps settled(scenario::NodeId device) const;  // nothing disturbs the device after this time

private:
    void add_reboots(const scenario::Scenario&);

    std::vector<Disturbance> all_;
    std::vector<Disturbance> memory_lost_;
    std::vector<scenario::NodeId> liars_;
};

}  // namespace petrel::swarm

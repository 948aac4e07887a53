// Oracles about frames.
#include <fmt/format.h>

#include <algorithm>

#include "swarm/oracles.hpp"

namespace petrel::swarm {

namespace {

// After a treatment or a link change, a pause that the port ignored or lost is in force again when its sender repeats
// it, at the latest after the longest pause of a frame: 33.5 ms at 1 Gb/s, and 335 ms at the slowest speed.
constexpr Ps kPauseRepeated = 350 * twin::kMs;

class Conservation final : public Oracle {
public:
    Conservation() : Oracle("packet conservation") {}

    void look(const Glance&, const Glance&) override {}
    void end(const Glance& last, const Ending& ending) override
    {
        const auto& totals = ending.totals;
        const auto found = totals.delivered + totals.in_flight + totals.drops.total();
        if (totals.injected != found) {
            violated(last.at, "the fabric",
                     fmt::format("Hosts sent {} frames, but {} are delivered, in flight or dropped.", totals.injected,
                                 found));
        }
    }
};

class LossOutsideSites final : public Oracle {
public:
    explicit LossOutsideSites(const Case& of) : Oracle("loss outside treated sites"), case_(of)
    {
        disturbed_.resize(of.places.ports.size());
        muted_.resize(of.places.nics.size());
        for (const auto& nic : of.places.nics) {
            may_overflow_.push_back(storms(nic) || receives_lossy(nic));
        }
    }

    void look(const Glance& before, const Glance& now) override
    {
        for (std::uint32_t port = 0; port < disturbed_.size(); ++port) {
            if (disturbed(port, before, now)) {
                disturbed_[port] = now.at + kPauseRepeated;
            }
        }
        for (std::uint32_t q = 0; q < now.queues.size(); ++q) {
            judge(q, before.queues[q], now.queues[q], now.at);
        }
        for (std::size_t i = 0; i < now.nics.size(); ++i) {
            const auto& nic = case_.places.nics[i];
            const auto lost = now.nics[i].overflows - before.nics[i].overflows;
            if (now.nics[i].muted || before.nics[i].muted || decided_at(nic.node, now)) {
                muted_[i] = now.at + kPauseRepeated;
            }
            if (lost != 0 && !may_overflow_[i] && muted_[i] < now.at && disturbed_[nic.port] < now.at) {
                violated(now.at, nic.name,
                         fmt::format("The NIC's buffer overflowed by {} frames, but its switch honours pause.", lost));
            }
        }
    }

private:
    static bool decided_at(NodeId node, const Glance& now)
    {
        return std::ranges::any_of(now.events, [&](const EventGlance& told) { return told.node == node; });
    }

    // The frames of a storm replace the pause that the NIC itself has sent.
    bool storms(const Places::Nic& nic) const
    {
        return std::ranges::any_of(case_.scenario.faults, [&](const scenario::Fault& fault) {
            const auto* storm = std::get_if<scenario::StartStorm>(&fault.what);
            return storm != nullptr && storm->host == nic.node;
        });
    }

    // A switch does not honour pause for a priority that is not lossless.
    bool receives_lossy(const Places::Nic& nic) const
    {
        const auto& setup = case_.scenario.setup;
        const auto node = case_.places.ports[nic.port].end.node;
        const auto& profile = setup.switch_profiles[setup.profile(node.value)];
        return std::ranges::any_of(setup.flows, [&](const twin::Flow& flow) {
            const auto group = profile.group_of_priority[profile.priority_of_dscp[flow.dscp]];
            return (flow.dst == nic.node || flow.src == nic.node) && !profile.groups[group].lossless;
        });
    }

    // Something about the port is or was not as configured between the two glances.
    bool disturbed(std::uint32_t port, const Glance& before, const Glance& now) const
    {
        const auto& place = case_.places.ports[port];
        const auto& was = before.ports[port];
        const auto& is = now.ports[port];
        if (!was.up || !is.up || was.epoch != is.epoch) {
            return true;
        }
        const bool decided = std::ranges::any_of(now.events, [&](const EventGlance& told) {
            return told.node == place.end.node && (told.port == port || told.event.whole_device);
        });
        const auto touched = [](const QueueGlance& queue) { return queue.treated || queue.recovering; };
        const auto queues = [&](const Glance& glance) {
            return std::any_of(glance.queues.begin() + place.first_queue,
                               glance.queues.begin() + place.first_queue + place.queues, touched);
        };
        return decided || queues(before) || queues(now);
    }

    void judge(std::uint32_t q, const QueueGlance& before, const QueueGlance& now, Ps at)
    {
        const auto port = case_.places.queues[q].port;
        const auto& place = case_.places.ports[port];
        const bool here = disturbed_[port] >= at;
        if (now.tx_drops != before.tx_drops && !here) {
            violated(at, case_.places.name(q),
                     fmt::format("{} frames to an untreated queue were dropped.", now.tx_drops - before.tx_drops));
        }
        const bool there = place.peer && disturbed_[*place.peer] >= at;
        if (now.rx_drops != before.rx_drops && !here && !there) {
            violated(at, case_.places.name(q),
                     fmt::format("{} lossless frames that were received here were dropped, and neither end of the "
                                 "link is treated.",
                                 now.rx_drops - before.rx_drops));
        }
    }

    const Case& case_;
    std::vector<Ps> disturbed_;       // by port: until when a loss has an explanation
    std::vector<bool> may_overflow_;  // by NIC
    std::vector<Ps> muted_;           // by NIC: until when a loss has an explanation
};

}  // namespace

std::unique_ptr<Oracle> conservation() { return std::make_unique<Conservation>(); }
std::unique_ptr<Oracle> loss_outside_sites(const Case& of) { return std::make_unique<LossOutsideSites>(of); }

}  // namespace petrel::swarm

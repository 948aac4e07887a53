#include "lab/link_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>

namespace petrel::lab {

namespace {

using link::LinkState;
using topology::End;
using twin::Ps;

// One port, of a switch or of a NIC.
class Port {
public:
    Port(const twin::Twin& twin, End end) : twin_(twin), end_(end) {}

    link::LinkReading read(Ps now) const { return of_switch() ? as_switch().link(port(), now) : as_nic().link(now); }
    void arm(std::uint64_t ack) const
    {
        static_cast<void>(of_switch() ? as_switch().arm_link(port(), ack) : as_nic().arm_link(ack));
    }
    void activate() const
    {
        static_cast<void>(of_switch() ? as_switch().activate_link(port()) : as_nic().activate_link());
    }
    // A NIC is managed over its own link, which may be down.
    bool reachable() const { return of_switch() || as_nic().link_up(); }
    bool went_down() const { return of_switch() ? as_switch().link_went_down(port()) : as_nic().link_went_down(); }

private:
    bool of_switch() const { return twin_.is_switch(end_.node); }
    twin::SwitchView as_switch() const { return twin_.switch_view(end_.node); }
    twin::NicView as_nic() const { return twin_.nic_view(end_.node); }
    std::uint8_t port() const { return static_cast<std::uint8_t>(end_.port); }

    const twin::Twin& twin_;
    End end_;
};

WallTime wall(Ps now) { return WallTime{std::chrono::microseconds{now / twin::kUs}}; }

PortId port_id(End end) { return {DeviceId{end.node.value}, end.port}; }

// One end of a link, as processes of one program exchange it.
struct EndRecord {
    std::uint32_t link{};
    std::uint32_t side{};
    bool went_down{};
    bool available{};
    link::LinkReading reading;
    std::uint32_t events{};
    std::array<link::DownEvent, link::PortHistory::kShown> history;
};
static_assert(std::is_trivially_copyable_v<EndRecord>);

std::vector<EndRecord> of_all_processes(const std::vector<EndRecord>& ours, twin::Peers& peers)
{
    std::vector<EndRecord> all;
    for (const auto& bytes : peers.gather({reinterpret_cast<const char*>(ours.data()), ours.size() * sizeof ours[0]})) {
        const auto first = all.size();
        all.resize(first + bytes.size() / sizeof(EndRecord));
        std::memcpy(all.data() + first, bytes.data(), bytes.size());
    }
    return all;
}

}  // namespace

LinkLog::LinkLog(twin::Twin& twin, Ps sweep_every) : twin_(twin), every_(sweep_every)
{
    const auto count = static_cast<std::uint32_t>(twin.setup().topology.nodes.size());
    for (std::uint32_t id = 0; id < count; ++id) {
        auto& node = nodes_.emplace_back(Node{twin::NodeId{id}, link::LinkKeeper{}});
        if (every_ != 0) {
            twin.at(node.id, twin.now() + every_, [this, &node](Ps now) { sweep(node, now); });
        }
    }
}

// Arms a link that came up and activates it one sweep later, when its other end is armed as well.
void LinkLog::sweep(Node& node, Ps now)
{
    const std::uint16_t ports = twin_.is_switch(node.id) ? twin_.switch_view(node.id).ports() : 1;
    for (std::uint16_t index = 0; index < ports; ++index) {
        const End end{node.id, index};
        const Port port{twin_, end};
        const link::PortReport report{port_id(end), port.read(now), port.reachable()};
        if (report.reading.state == LinkState::armed) {
            port.activate();
        } else if (const auto ack = node.keeper.arm(report, wall(now))) {
            port.arm(*ack);
        }
    }
    twin_.at(node.id, now + every_, [this, &node](Ps then) { sweep(node, then); });
}

std::vector<scenario::LinkStory> LinkLog::stories()
{
    const auto& topology = twin_.setup().topology;
    std::vector<EndRecord> known;
    for (std::uint32_t i = 0; i < topology.links.size(); ++i) {
        for (std::uint32_t side = 0; side < 2; ++side) {
            const auto& end = topology.links[i].ends[side];
            const Port port{twin_, end};
            if (!twin_.runs_here(end.node)) {
                continue;
            }
            auto& record = known.emplace_back(
                EndRecord{i, side, port.went_down(), port.reachable(), port.read(twin_.now()), 0, {}});
            const auto kept = nodes_[end.node.value].keeper.history(port_id(end)).events();
            for (const auto& event : kept.last(std::min(kept.size(), record.history.size()))) {
                record.history[record.events++] = event;
            }
        }
    }
    if (auto* peers = twin_.peers()) {
        known = of_all_processes(known, *peers);
        std::sort(known.begin(), known.end(), [](const EndRecord& a, const EndRecord& b) {
            return std::tie(a.link, a.side) < std::tie(b.link, b.side);
        });
    }
    std::vector<scenario::LinkStory> stories;
    for (std::size_t i = 0; i + 1 < known.size(); i += 2) {
        if (!known[i].went_down && !known[i + 1].went_down) {
            continue;
        }
        auto& story = stories.emplace_back();
        for (std::size_t side = 0; side < 2; ++side) {
            const auto& record = known[i + side];
            const auto& end = topology.links[record.link].ends[side];
            const auto& node = topology.nodes[end.node.value];
            story.ends[side] = {fmt::format("{}:{}", node.name, node.ports[end.port].name),
                                record.reading,
                                {record.history.begin(), record.history.begin() + record.events},
                                record.available};
        }
    }
    return stories;
}

}  // namespace petrel::lab

#include "lab/recording.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "topology/tiers.hpp"

namespace petrel::lab {

namespace {

using scenario::NodeId;
using topology::End;
using twin::Ps;

constexpr std::size_t kMostCells = 4'000'000;  // queues times samples: some 50 MB
constexpr std::uint32_t kFewestSamples = 20;
constexpr std::size_t kMostQueues = 200;
constexpr std::size_t kMostLinks = 200;

// At least 99 % of the interval: there may be short gaps between two pause frames.
bool throughout(Ps paused, Ps interval) { return paused >= interval - interval / 100; }

Ps sum(const std::vector<Ps>& times) { return std::accumulate(times.begin(), times.end(), Ps{0}); }

bool may_send(const twin::Flow& flow, const twin::FlowReading& seen, Ps now)
{
    return flow.start <= now && now < flow.stop && (flow.packets == 0 || seen.sent < flow.packets);
}

// Ports and priorities (kWholePort = all) that have events.
class Mentioned {
public:
    explicit Mentioned(const std::vector<AgentEvent>& events)
    {
        for (const auto& reported : events) {
            const auto& target = reported.event->target;
            if (!reported.event->whole_device) {
                ports_.insert(
                    {End{reported.node, reported.port}, target.priority ? int{target.priority->value} : kWholePort});
            }
        }
    }

    // An event of the whole port counts for those of its queues that were paused.
    bool has(const End& port, std::uint8_t priority, bool paused) const
    {
        return ports_.contains({port, int{priority}}) || (paused && ports_.contains({port, kWholePort}));
    }

private:
    static constexpr int kWholePort = -1;
    std::set<std::pair<End, int>> ports_;
};

}  // namespace

Recording::Recording(Experiment& experiment, Ps end, std::uint32_t samples) : experiment_(experiment)
{
    const auto& twin = experiment.twin();
    const auto& topology = experiment.scenario().setup.topology;
    for (const auto& link : topology.links) {
        for (std::size_t i = 0; i < 2; ++i) {
            const auto& own = link.ends[i];
            const auto& other = link.ends[1 - i];
            // A NIC may be paused on any priority. Only the priorities that its switch keeps lossless are recorded.
            const auto decides = twin.is_switch(own.node) ? own.node : other.node;
            add_rows(own, twin.is_switch(decides) ? twin.switch_view(decides).lossless() : std::uint8_t{0xff});
        }
    }
    std::map<std::uint8_t, std::uint32_t> tiers;
    for (const auto& node : topology.nodes) {
        ++tiers[topology::tier_of(node)];
    }
    for (const auto& [tier, nodes] : tiers) {
        run_.tiers.push_back({tier, nodes, {}, {}});
    }
    for (const auto& item : experiment.scenario().traffic) {
        run_.traffic.push_back({item.name, {}, {}});
    }
    sending_.resize(topology.nodes.size());
    sent_.resize(twin.setup().flows.size());
    delivered_.resize(twin.setup().flows.size());
    const auto most = static_cast<std::uint32_t>(kMostCells / std::max<std::size_t>(rows_.size(), 1));
    samples = std::min(samples, std::max(most, kFewestSamples));
    for (std::uint32_t i = 1; i <= samples; ++i) {
        const auto when = i == samples ? end : end / samples * i;
        experiment_.look_at(when, [this] { look(); });
    }
}

void Recording::add_rows(const End& port, std::uint8_t priorities)
{
    for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
        if ((unsigned{priorities} >> priority & 1U) != 0) {
            rows_.push_back({port, priority, 0, {}, {}});
        }
    }
}

void Recording::look()
{
    if (!run_.times.empty() && experiment_.twin().now() <= run_.times.back()) {
        return;  // the run is too short for so many samples
    }
    run_.times.push_back(experiment_.twin().now());
    look_at_rows();
    look_at_traffic();
    look_at_nodes();
}

void Recording::look_at_rows()
{
    const auto& twin = experiment_.twin();
    const auto now = twin.now();
    for (auto& row : rows_) {
        Ps paused_for = 0;
        std::uint32_t bytes = 0;
        if (twin.is_switch(row.port.node)) {
            const auto view = twin.switch_view(row.port.node);
            const auto queue = view.queue(static_cast<std::uint8_t>(row.port.port),
                                          view.profile().queue_of_priority[row.priority], now);
            paused_for = queue.paused_for;
            bytes = queue.bytes;
        } else {
            paused_for = twin.nic_view(row.port.node).read(row.priority, now).paused_for;
        }
        row.paused.push_back(paused_for - std::min(row.paused_for, paused_for));
        row.bytes.push_back(bytes);
        row.paused_for = paused_for;
    }
}

void Recording::look_at_traffic()
{
    const auto& scenario = experiment_.scenario();
    for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
        const auto& item = scenario.traffic[i];
        std::uint64_t sent = 0;
        std::uint64_t delivered = 0;
        for (auto index = item.first_flow; index < item.first_flow + item.flows; ++index) {
            const auto seen = experiment_.twin().flow(index);
            const auto bytes = scenario.setup.flows[index].frame_bytes;
            const auto most = std::max(seen.sent, sent_[index]);
            sent += (most - std::exchange(sent_[index], most)) * bytes;
            delivered += (seen.delivered - std::exchange(delivered_[index], seen.delivered)) * bytes;
        }
        run_.traffic[i].sent_bytes.push_back(sent);
        run_.traffic[i].delivered_bytes.push_back(delivered);
    }
}

// How much each node has sent, and whether it has more to send: hosts by their flows, switches by their lossless
// queues.
std::vector<Recording::Sending> Recording::sending() const
{
    const auto& twin = experiment_.twin();
    const auto& flows = twin.setup().flows;
    std::vector<Sending> all(sending_.size());
    for (std::uint32_t i = 0; i < flows.size(); ++i) {
        const auto seen = twin.flow(i);
        auto& host = all[flows[i].src.value];
        host.sent += seen.sent;
        host.had_work |= may_send(flows[i], seen, twin.now());
    }
    for (const auto& row : rows_) {
        if (twin.is_switch(row.port.node)) {
            const auto view = twin.switch_view(row.port.node);
            auto& node = all[row.port.node.value];
            node.sent += view.queue(static_cast<std::uint8_t>(row.port.port),
                                    view.profile().queue_of_priority[row.priority], twin.now())
                             .tx_packets;
            node.had_work |= row.bytes.back() != 0;
        }
    }
    return all;
}

void Recording::look_at_nodes()
{
    const auto& twin = experiment_.twin();
    const auto& nodes = twin.setup().topology.nodes;
    const auto interval = run_.interval(run_.times.size() - 1);
    std::vector<bool> paused(nodes.size());  // on some priority, throughout the interval
    std::map<std::uint8_t, TierTrack*> tiers;
    for (auto& tier : run_.tiers) {
        tier.held.push_back(0);
        tier.standing.push_back(0);
        tiers[tier.tier] = &tier;
    }
    for (const auto& row : rows_) {
        const auto node = row.port.node.value;
        paused[node] = paused[node] || throughout(row.paused.back(), interval);
    }
    auto now = sending();
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        if (!paused[node]) {
            continue;
        }
        // The count decreases when flows go back to frames that were lost.
        const bool stood = sending_[node].had_work && now[node].had_work && now[node].sent <= sending_[node].sent;
        auto& tier = *tiers[topology::tier_of(nodes[node])];
        ++tier.held.back();
        tier.standing.back() += stood ? 1U : 0U;
    }
    sending_ = std::move(now);

    twin::DropCounts drops;
    for (std::uint32_t id = 0; id < nodes.size(); ++id) {
        drops += twin.is_switch(NodeId{id}) ? twin.switch_view(NodeId{id}).drops() : twin.nic_view(NodeId{id}).drops();
    }
    run_.drops.emplace_back();
    for (std::size_t i = 0; i < twin::kDrops; ++i) {
        run_.drops.back().by_cause[i] = drops.by_cause[i] - dropped_.by_cause[i];
    }
    dropped_ = drops;
}

std::vector<LinkTrack> Recording::link_tracks() const
{
    std::map<End, LinkTrack> tracks;
    for (const auto& link : experiment_.scenario().setup.topology.links) {
        for (std::size_t i = 0; i < 2; ++i) {
            tracks[link.ends[i]] = {link.ends[i], link.ends[1 - i], std::vector<Ps>(run_.times.size())};
        }
    }
    for (const auto& row : rows_) {
        auto& worst = tracks[row.port].paused;
        std::transform(worst.begin(), worst.end(), row.paused.begin(), worst.begin(),
                       [](Ps a, Ps b) { return std::max(a, b); });
    }
    std::vector<LinkTrack> all;
    for (auto& [end, track] : tracks) {
        if (sum(track.paused) > 0) {
            all.push_back(std::move(track));
        }
    }
    std::sort(all.begin(), all.end(), [](const LinkTrack& a, const LinkTrack& b) {
        return std::tuple{sum(b.paused), a.from} < std::tuple{sum(a.paused), b.from};
    });
    return all;
}

RecordedRun Recording::take() const
{
    auto run = run_;
    const Mentioned mentioned{experiment_.events()};
    std::vector<std::tuple<bool, Ps, const Row*>> order;  // sort key: has no events, time not paused
    for (const auto& row : rows_) {
        const auto paused = sum(row.paused);
        const bool is_mentioned = mentioned.has(row.port, row.priority, paused > 0);
        if (experiment_.twin().is_switch(row.port.node) && (is_mentioned || paused > 0)) {
            order.emplace_back(!is_mentioned, twin::kForever - paused, &row);
        }
    }
    std::sort(order.begin(), order.end());
    for (const auto& [quiet, less, row] : order) {
        if (run.queues.size() == kMostQueues) {
            break;
        }
        run.queues.push_back({row->port, row->priority, row->paused, row->bytes});
    }
    run.queues_left_out = order.size() - run.queues.size();
    run.links = link_tracks();
    run.links_left_out = run.links.size() - std::min(run.links.size(), kMostLinks);
    run.links.resize(run.links.size() - run.links_left_out);
    return run;
}

}  // namespace petrel::lab

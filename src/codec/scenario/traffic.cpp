// [[traffic]]: turns traffic patterns into flows.
#include <algorithm>
#include <array>
#include <random>

#include "codec/scenario/parts.hpp"

namespace petrel::codec {

namespace {

using topology::NodeId;

constexpr std::size_t kMostFlows = 1'000'000;
constexpr std::size_t kMostItems = 10'000;
constexpr std::int64_t kMostPackets = 4'294'967'294;

using Pairs = std::vector<std::pair<NodeId, NodeId>>;

class Traffic {
public:
    Traffic(ScenarioNames& names, scenario::Scenario& into) : names_(names), into_(into), random_(into.setup.seed) {}

    void read_item(Section& section)
    {
        twin::Flow flow;
        read_flow(section, flow);
        std::string name = fmt::format("traffic {}", into_.traffic.size() + 1);
        section.read("name", name);
        const auto pairs = read_pattern(section);
        section.done();
        if (pairs.size() > kMostFlows - into_.setup.flows.size()) {
            return section.text().wrong(section.table(), fmt::format("at most {} flows in all", kMostFlows));
        }
        into_.traffic.push_back({std::move(name), static_cast<std::uint32_t>(into_.setup.flows.size()),
                                 static_cast<std::uint32_t>(pairs.size())});
        for (const auto& [src, dst] : pairs) {
            flow.src = src;
            flow.dst = dst;
            into_.setup.flows.push_back(flow);
        }
    }

private:
    static void read_flow(Section& section, twin::Flow& flow)
    {
        section.number("frame_bytes", flow.frame_bytes, 64, 65'535);
        section.number("packets", flow.packets, 1, kMostPackets);
        if (const auto* node = section.find("size")) {
            const auto bytes = section.bytes(*node, static_cast<std::uint64_t>(kMostPackets) * 64);
            if (section.table().contains("packets")) {
                section.text().wrong(*node, "either packets or size");
            } else if (bytes && *bytes == 0) {
                section.text().wrong(*node, "at least one byte; a flow without end has no size");
            } else if (bytes) {
                flow.packets = (*bytes + flow.frame_bytes - 1) / flow.frame_bytes;
            }
        }
        section.number("dscp", flow.dscp, 0, 63);
        section.time("start", flow.start);
        section.time("stop", flow.stop);
        section.rate("rate", flow.rate);
        section.read("reliable", flow.reliable);
        section.number("window_packets", flow.window_packets, 0, 16'000'000);
        section.read("dcqcn", flow.congestion_control);
        section.number("hash", flow.hash, 0, 65'535);
    }

    Pairs read_pattern(Section& section)
    {
        static constexpr std::array<std::string_view, 5> kPatterns{"flow", "incast", "permutation", "all-to-all",
                                                                   "ring"};
        std::size_t pattern = 0;
        if (const auto* node = section.find("pattern")) {
            pattern = section.choice(*node, kPatterns).value_or(pattern);
        }
        switch (pattern) {
        case 0: return towards_one(section, false);
        case 1: return towards_one(section, true);
        case 2: return permutation(section);
        case 3: return all_to_all(section);
        default: return ring(section);
        }
    }

    // flow: one or more senders, each to the receiver. incast: the same, but without `from` all other hosts send.
    Pairs towards_one(Section& section, bool everyone)
    {
        const auto* to = section.require("to", "a host");
        const auto* from = everyone ? section.find("from") : section.require("from", "a host, or a list of hosts");
        const auto receiver = to == nullptr ? std::nullopt : names_.node(*to, topology::Kind::host);
        auto senders = from != nullptr ? names_.nodes(*from, topology::Kind::host)
                       : everyone      ? names_.all(topology::Kind::host)
                                       : std::vector<NodeId>{};
        Pairs pairs;
        for (const auto sender : senders) {
            if (receiver && sender != *receiver) {
                pairs.emplace_back(sender, *receiver);
            } else if (receiver && !everyone && from != nullptr) {
                section.text().wrong(*from, "a host other than the receiver");
            }
        }
        return pairs;
    }

    // The hosts of a pattern; empty after a complaint.
    std::vector<NodeId> participants(Section& section)
    {
        const auto* chosen = section.find("hosts");
        auto hosts = chosen != nullptr ? names_.nodes(*chosen, topology::Kind::host) : names_.all(topology::Kind::host);
        if (names_.known() && hosts.size() < 2) {
            section.text().wrong(chosen != nullptr ? *chosen : section.table(), "at least two hosts");
            return {};
        }
        return hosts;
    }

    static Pairs paired(const std::vector<NodeId>& hosts, const std::vector<std::size_t>& to)
    {
        Pairs pairs;
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            pairs.emplace_back(hosts[i], hosts[to[i]]);
        }
        return pairs;
    }

    Pairs permutation(Section& section)
    {
        const auto hosts = participants(section);
        std::optional<std::int64_t> shift;
        if (const auto* node = section.find("shift")) {
            shift = section.whole(*node, 1, std::max<std::int64_t>(1, static_cast<std::int64_t>(hosts.size()) - 1));
        }
        return paired(hosts, shift ? shifted(hosts.size(), static_cast<std::size_t>(*shift)) : drawn(hosts.size()));
    }

    // The pattern of collective operations: each host sends to the next, in the given order.
    Pairs ring(Section& section)
    {
        const auto hosts = participants(section);
        return paired(hosts, shifted(hosts.size(), 1));
    }

    Pairs all_to_all(Section& section)
    {
        const auto hosts = participants(section);
        Pairs pairs;
        for (std::size_t i = 0; i < hosts.size() && pairs.size() <= kMostFlows; ++i) {
            for (std::size_t k = 1; k < hosts.size(); ++k) {
                pairs.emplace_back(hosts[i], hosts[(i + k) % hosts.size()]);
            }
        }
        return pairs;
    }

    static std::vector<std::size_t> shifted(std::size_t n, std::size_t by)
    {
        std::vector<std::size_t> to(n);
        for (std::size_t i = 0; i < n; ++i) {
            to[i] = (i + by) % n;
        }
        return to;
    }

    // Random by the scenario's seed: one cycle through all hosts (Sattolo's algorithm), so that no host sends to
    // itself.
    std::vector<std::size_t> drawn(std::size_t n)
    {
        auto to = shifted(n, 0);
        for (std::size_t i = n; i > 1; --i) {
            std::swap(to[i - 1], to[random_() % (i - 1)]);
        }
        return to;
    }

    ScenarioNames& names_;
    scenario::Scenario& into_;
    std::mt19937_64 random_;
};

}  // namespace

void read_traffic(Section& top, ScenarioNames& names, scenario::Scenario& into)
{
    const auto* tables = top.find("traffic");
    if (tables == nullptr) {
        return;
    }
    Traffic traffic{names, into};
    std::size_t items = 0;
    top.text().each_table(*tables, "[[traffic]]", [&](const toml::table& table) {
        if (++items <= kMostItems) {
            Section section{top.text(), table};
            traffic.read_item(section);
        }
    });
    if (items > kMostItems) {
        top.text().wrong(*tables, fmt::format("at most {} tables [[traffic]]", kMostItems));
    }
}

}  // namespace petrel::codec

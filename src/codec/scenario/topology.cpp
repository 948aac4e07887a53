// [topology]: a generator with its numbers, or a list of nodes and links.
#include <array>
#include <functional>
#include <map>
#include <string>

#include "base/complaint_text.hpp"
#include "codec/scenario/parts.hpp"
#include "topology/cable.hpp"
#include "topology/check.hpp"
#include "topology/generators.hpp"

namespace petrel::codec {

namespace {

using topology::LinkShape;
using topology::Topology;

constexpr std::uint64_t kMostLinks = 1'000'000;
constexpr LinkShape kUsualLink{{100'000'000'000}, topology::Delay{1'000'000}};  // 100 Gb/s, 1 us

// Keys: speed, and either delay or cable_m.
void read_shape(Section& section, LinkShape& shape)
{
    section.rate("speed", shape.speed);
    std::uint64_t delay_ps = static_cast<std::uint64_t>(shape.delay.count());
    section.time("delay", delay_ps, 1);
    shape.delay = topology::Delay{static_cast<std::int64_t>(delay_ps)};
    double cable_m = 0;
    section.read("cable_m", cable_m, 0.001, topology::kLongestCable_m);
    const auto* cable = section.table().get("cable_m");
    if (cable != nullptr && section.table().contains("delay")) {
        section.text().wrong(*cable, "either delay or cable_m");
    } else if (cable != nullptr) {
        shape.delay = topology::delay_of_cable(cable_m);
    }
}

LinkShape read_link_shape(Section& topology, std::string_view key)
{
    LinkShape shape = kUsualLink;
    if (auto section = topology.below(key)) {
        read_shape(*section, shape);
        section->done();
    }
    return shape;
}

class Generator {
public:
    explicit Generator(Section& section) : section_(section) {}

    std::optional<Topology> make(std::size_t kind)
    {
        const auto host = read_link_shape(section_, "host_links");
        Result<Topology> made;
        if (kind == 0) {
            made = topology::single_switch(number("hosts"), host);
        } else if (kind == 1) {
            made = topology::dumbbell(number("left"), number("right"), host, read_link_shape(section_, "middle_link"));
        } else {
            made = with_fabric(kind, host, read_link_shape(section_, "fabric_links"));
        }
        if (!made && complete_) {
            section_.text().complaints().add_sentence(place(section_.table()), made.error().what);
        }
        return made ? std::optional{std::move(*made)} : std::nullopt;
    }

private:
    Result<Topology> with_fabric(std::size_t kind, LinkShape host, LinkShape fabric)
    {
        if (kind == 2) {
            return topology::ring(number("switches"), number("hosts_per_switch"), host, fabric);
        }
        if (kind == 3) {
            return topology::leaf_spine(number("leaves"), number("spines"), number("hosts_per_leaf"), host, fabric);
        }
        if (kind == 4) {
            return topology::clos3({number("pods"), number("leaves_per_pod"), number("spines_per_pod"), number("cores"),
                                    number("hosts_per_leaf")},
                                   host, fabric);
        }
        return topology::fat_tree(number("k"), host, fabric);
    }

    // Zero after a complaint: every generator refuses it.
    std::uint32_t number(std::string_view key)
    {
        std::uint32_t value = 0;
        const auto complaints = section_.text().complaints().count();
        if (section_.require(key, "a number") != nullptr) {
            section_.number(key, value, 0, topology::kMaxHosts);
        }
        complete_ = complete_ && section_.text().complaints().count() == complaints;
        return value;
    }

    Section& section_;
    bool complete_{true};  // no number is missing or wrong
};

class Explicit {
public:
    explicit Explicit(TomlText& text) : text_(text) {}

    std::optional<Topology> read(Section& section)
    {
        if (const auto* nodes = section.require("node", "tables [[topology.node]]")) {
            text_.each_table(*nodes, "[[topology.node]]", [&](const toml::table& table) { read_node(table); });
        }
        if (const auto* links = section.require("link", "tables [[topology.link]]")) {
            text_.each_table(*links, "[[topology.link]]", [&](const toml::table& table) { read_link(table); });
        }
        if (!sound_) {
            return std::nullopt;
        }
        for (const auto& problem : topology::problems(result_)) {
            text_.complaints().add_sentence(place(section.table()), problem);
            sound_ = false;
        }
        return sound_ ? std::optional{std::move(result_)} : std::nullopt;
    }

private:
    void read_node(const toml::table& table)
    {
        static constexpr std::array<std::string_view, 2> kKinds{"host", "switch"};
        Section section{text_, table};
        topology::Node node;
        if (const auto* name = section.require("name", "a name")) {
            node.name = text_.name(*name);
        }
        if (const auto* kind = section.require("kind", "\"host\" or \"switch\"")) {
            node.kind = section.choice(*kind, kKinds) == 0 ? topology::Kind::host : topology::Kind::fabric_switch;
        }
        node.tier = node.kind == topology::Kind::host ? 0 : 1;
        section.number("tier", node.tier, 0, 9);
        section.done();
        if (!numbers_.emplace(node.name, static_cast<std::uint32_t>(result_.nodes.size())).second) {
            text_.wrong(table, "each name once");
            sound_ = false;
        }
        sound_ = sound_ && !node.name.empty();
        result_.nodes.push_back(std::move(node));
    }

    void read_link(const toml::table& table)
    {
        if (result_.links.size() == kMostLinks) {
            sound_ = false;
            return;
        }
        Section section{text_, table};
        LinkShape shape = kUsualLink;
        read_shape(section, shape);
        topology::Link link{{}, shape.speed, shape.delay};
        const auto* between = section.require("between", "[\"one\", \"other\"]");
        const auto* pair = between == nullptr ? nullptr : between->as_array();
        if (pair == nullptr || pair->size() != 2 || !end_at((*pair)[0], link.ends[0]) ||
            !end_at((*pair)[1], link.ends[1])) {
            sound_ = false;
            if (between != nullptr && (pair == nullptr || pair->size() != 2)) {
                text_.wrong(*between, "two names");
            }
        }
        section.done();
        result_.links.push_back(link);
    }

    // The next free port of a node: ports are numbered in the order of the links.
    bool end_at(const toml::node& name, topology::End& end)
    {
        const auto found = numbers_.find(name.value_exact<std::string>().value_or(""));
        if (found == numbers_.end()) {
            text_.wrong(name, "the name of a [[topology.node]]");
            return false;
        }
        auto& node = result_.nodes[found->second];
        if (node.ports.size() >= topology::kMaxPorts) {
            text_.wrong(name, fmt::format("a node with at most {} links", topology::kMaxPorts));
            return false;
        }
        end = {topology::NodeId{found->second}, static_cast<std::uint16_t>(node.ports.size())};
        const auto* word = node.kind == topology::Kind::host ? "eth" : "Ethernet";
        node.ports.push_back({fmt::format("{}{}", word, node.ports.size()), {}, {}});
        return true;
    }

    TomlText& text_;
    Topology result_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    bool sound_{true};
};

}  // namespace

std::optional<Topology> read_topology(Section& top)
{
    static constexpr std::array<std::string_view, 7> kKinds{"single-switch", "dumbbell", "ring",    "leaf-spine",
                                                            "clos3",         "fat-tree", "explicit"};
    if (top.require("topology", "a table [topology]") == nullptr) {
        return std::nullopt;
    }
    auto section = top.below("topology");
    if (!section) {
        return std::nullopt;
    }
    const auto* kind = section->require_kind(fmt::format("\"{}\"", fmt::join(kKinds, "\", \"")));
    const auto chosen = kind == nullptr ? std::nullopt : section->choice(*kind, kKinds);
    if (!chosen) {
        return std::nullopt;
    }
    const bool generated = *chosen + 1 < kKinds.size();
    auto made = generated ? Generator{*section}.make(*chosen) : Explicit{top.text()}.read(*section);
    section->done();
    return made;
}

}  // namespace petrel::codec

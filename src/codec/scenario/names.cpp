#include "codec/scenario/names.hpp"

#include <algorithm>
#include <charconv>

#include "base/complaint_text.hpp"

namespace petrel::codec {

namespace {

using topology::End;
using topology::NodeId;

// The nearest name is suggested only in topologies with at most this many nodes.
constexpr std::size_t kMostToSuggestFrom = 1'000;

struct Numbered {
    std::string_view prefix;
    std::uint32_t number{};
};

// "h12" is "h" and 12.
std::optional<Numbered> numbered(std::string_view name)
{
    const auto digits = name.find_last_not_of("0123456789") + 1;
    Numbered result{name.substr(0, digits), 0};
    const auto* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + digits, end, result.number);
    return error == std::errc{} && stop == end ? std::optional{result} : std::nullopt;
}

std::string_view word_for(ScenarioNames::Kind kind)
{
    if (!kind) {
        return "a node";
    }
    return *kind == topology::Kind::host ? "a host" : "a switch";
}

}  // namespace

std::vector<NodeId> ScenarioNames::all(Kind kind) const
{
    std::vector<NodeId> found;
    for (std::uint32_t i = 0; known() && i < topology_->nodes.size(); ++i) {
        if (!kind || topology_->nodes[i].kind == *kind) {
            found.push_back(NodeId{i});
        }
    }
    return found;
}

std::optional<NodeId> ScenarioNames::find(std::string_view name, Kind kind) const
{
    const auto node = lookup_->node(name);
    return node && (!kind || topology_->nodes[node->value].kind == *kind) ? node : std::nullopt;
}

void ScenarioNames::no_such(const toml::node& node, Kind kind)
{
    if (topology_->nodes.size() > kMostToSuggestFrom || !node.is_string()) {
        return text_.wrong(node, fmt::format("{} of the topology", word_for(kind)));
    }
    std::vector<std::string_view> names;
    for (const auto id : all(kind)) {
        names.push_back(topology_->nodes[id.value].name);
    }
    text_.wrong(node, fmt::format("{} of the topology, {}", word_for(kind), instead_of(shown(node), names)));
}

bool ScenarioNames::add_range(std::string_view first, std::string_view last, Kind kind, std::vector<NodeId>& to) const
{
    const auto from = numbered(first);
    const auto until = numbered(last);
    if (!from || !until || from->prefix != until->prefix || from->number > until->number || !find(last, kind)) {
        return false;
    }
    for (auto number = from->number;; ++number) {
        const auto found = find(fmt::format("{}{}", from->prefix, number), kind);
        if (!found) {
            return false;
        }
        to.push_back(*found);
        if (number == until->number) {
            return true;
        }
    }
}

void ScenarioNames::add(const toml::node& node, Kind kind, std::vector<NodeId>& to)
{
    const auto name = node.value_exact<std::string_view>().value_or(std::string_view{});
    if (name == "all") {
        const auto everyone = all(kind);
        to.insert(to.end(), everyone.begin(), everyone.end());
    } else if (const auto found = find(name, kind)) {
        to.push_back(*found);
    } else if (const auto dots = name.find("..");
               dots == std::string_view::npos || !add_range(name.substr(0, dots), name.substr(dots + 2), kind, to)) {
        no_such(node, kind);
    }
}

std::vector<NodeId> ScenarioNames::nodes(const toml::node& node, Kind kind)
{
    std::vector<NodeId> found;
    if (!known()) {
        return found;
    }
    if (const auto* list = node.as_array()) {
        for (const auto& one : *list) {
            if (found.size() > topology_->nodes.size()) {
                text_.wrong(node, "no more names than the topology has nodes");
                return {};
            }
            add(one, kind, found);
        }
    } else {
        add(node, kind, found);
    }
    return found;
}

std::optional<NodeId> ScenarioNames::node(const toml::node& node, Kind kind)
{
    if (!known()) {
        return std::nullopt;
    }
    const auto found = find(node.value_exact<std::string_view>().value_or(std::string_view{}), kind);
    if (!found) {
        no_such(node, kind);
    }
    return found;
}

std::optional<End> ScenarioNames::port(const toml::node& node)
{
    if (!known()) {
        return std::nullopt;
    }
    const auto text = node.value_exact<std::string_view>().value_or(std::string_view{});
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        if (const auto host = find(text, topology::Kind::host)) {
            return End{*host, 0};
        }
    } else if (const auto owner = find(text.substr(0, colon), std::nullopt)) {
        if (const auto found = lookup_->port(*owner, text.substr(colon + 1))) {
            return found;
        }
        std::vector<std::string_view> names;
        for (const auto& port : topology_->nodes[owner->value].ports) {
            names.push_back(port.name);
        }
        text_.wrong(node, fmt::format("a port of {}, {}", topology_->nodes[owner->value].name,
                                      instead_of(text.substr(colon + 1), names)));
        return std::nullopt;
    }
    text_.wrong(node, "a port such as \"leaf0:Ethernet4\", or the name of a host");
    return std::nullopt;
}

std::optional<std::uint32_t> ScenarioNames::link_between(const toml::array& pair)
{
    std::vector<NodeId> ends;
    for (const auto& one : pair) {
        if (const auto found = node(one, std::nullopt)) {
            ends.push_back(*found);
        }
    }
    if (ends.size() != pair.size()) {
        return std::nullopt;
    }
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; ends.size() == 2 && i < topology_->links.size(); ++i) {
        const auto& link = topology_->links[i].ends;
        if ((link[0].node == ends[0] && link[1].node == ends[1]) ||
            (link[0].node == ends[1] && link[1].node == ends[0])) {
            found.push_back(i);
        }
    }
    if (found.size() != 1) {
        text_.wrong(pair, found.empty() ? "two nodes with a link between them"
                                        : "a port: there is more than one link between these two");
        return std::nullopt;
    }
    return found.front();
}

std::optional<std::uint32_t> ScenarioNames::link(const toml::node& node)
{
    if (!known()) {
        return std::nullopt;
    }
    if (const auto* pair = node.as_array()) {
        return link_between(*pair);
    }
    const auto end = port(node);
    const auto found = end ? lookup_->link(*end) : std::nullopt;
    if (end && !found) {
        text_.wrong(node, "a port with a link");
    }
    return found;
}

std::vector<std::uint32_t> ScenarioNames::links(const toml::node& node)
{
    std::vector<std::uint32_t> found;
    const auto* list = node.as_array();
    if (list == nullptr) {
        text_.wrong(node, "a list of links");
        return found;
    }
    for (const auto& one : *list) {
        if (const auto number = link(one)) {
            found.push_back(*number);
        }
    }
    return found;
}

}  // namespace petrel::codec

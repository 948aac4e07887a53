#include "topology/tiers.hpp"

#include <algorithm>
#include <string_view>

namespace petrel::topology {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "leaf" of "leaf0-1".
std::string_view word_of(std::string_view name)
{
    const auto end = std::find_if_not(name.begin(), name.end(), is_letter);
    return name.substr(0, static_cast<std::size_t>(end - name.begin()));
}

}  // namespace

std::uint8_t tier_of(const Node& node)
{
    return node.kind == Kind::host ? std::uint8_t{0} : std::max<std::uint8_t>(node.tier, 1);
}

std::string tier_word(const Topology& topology, std::uint8_t tier)
{
    constexpr std::size_t kShortestWord = 2;  // "s0" says nothing
    std::string_view common;
    for (const auto& node : topology.nodes) {
        if (tier_of(node) != tier) {
            continue;
        }
        const auto word = word_of(node.name);
        if (word.size() < kShortestWord || (!common.empty() && word != common)) {
            return {};
        }
        common = word;
    }
    return std::string{common};
}

std::string tier_name(const Topology& topology, std::uint8_t tier)
{
    auto word = tier == 0 ? "hosts" : tier_word(topology, tier);
    return word.empty() ? "tier " + std::to_string(tier) : word;
}

}  // namespace petrel::topology

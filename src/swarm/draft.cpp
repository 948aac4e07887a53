#include "swarm/draft.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace petrel::swarm {

const std::string* DraftTable::find(std::string_view key) const
{
    const auto found = std::ranges::find(keys, key, &DraftKey::name);
    return found == keys.end() ? nullptr : &found->value;
}

std::string text_of(const Draft& draft)
{
    std::string text;
    for (const auto& table : draft.tables) {
        if (!table.heading.empty()) {
            text += fmt::format("\n{}\n", table.heading);
        }
        for (const auto& key : table.keys) {
            text += fmt::format("{} = {}\n", key.name, key.value);
        }
    }
    return text;
}

}  // namespace petrel::swarm

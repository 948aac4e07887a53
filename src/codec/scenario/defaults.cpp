#include "codec/scenario/defaults.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "codec/scenario/parts.hpp"

namespace petrel::codec {

namespace {

constexpr std::string_view kKey = "defaults";
constexpr std::string_view kHere = "defaults/";
constexpr std::string_view kAbove = "../defaults/";
constexpr std::string_view kEnding = ".toml";
constexpr std::array<std::string_view, 6> kFileKeys{"name", "about", "defaults", "parameters", "full", "sweep"};

// "defaults/NAME.toml" or "../defaults/NAME.toml": it cannot lead out of the tree that the scenario is in.
bool is_allowed(std::string_view path)
{
    const auto folder = path.starts_with(kAbove) ? kAbove : kHere;
    if (!path.starts_with(folder) || !path.ends_with(kEnding)) {
        return false;
    }
    path.remove_prefix(folder.size());
    return path.size() > kEnding.size() && path.find('/') == std::string_view::npos;
}

// The file's tables, in front of those of the scenario.
void prepend(toml::array& list, toml::array& more)
{
    auto at = list.begin();
    for (auto& table : more) {
        at = std::next(list.insert(at, std::move(table)));
    }
}

}  // namespace

Parsed<Defaults> read_defaults(std::string_view text, const std::string& file, const ReadText& read)
{
    TomlText toml{file};
    Defaults found;
    toml.parse(text, [&](const toml::table& top) {
        const auto* node = top.get(kKey);
        if (node == nullptr) {
            return;
        }
        const auto path = toml.name(*node);
        if (!toml.complaints().empty()) {
            return;
        }
        if (!is_allowed(path)) {
            return toml.wrong(*node, fmt::format("{}NAME{} or {}NAME{}", kHere, kEnding, kAbove, kEnding));
        }
        found.file = (std::filesystem::path{file}.parent_path() / path).lexically_normal().string();
        if (auto content = read(found.file)) {
            found.text = std::move(*content);
        } else {
            toml.wrong(*node, fmt::format("a file of defaults ({})", content.error().what));
        }
    });
    if (!toml.complaints().empty()) {
        return tl::unexpected(std::move(toml.complaints()).take());
    }
    return found;
}

void add_defaults(TomlText& text, toml::table& scenario, const Defaults& defaults)
{
    const auto* named = scenario.get(kKey);
    if (named == nullptr) {
        return;
    }
    if (defaults.file.empty()) {
        return text.wrong(*named, "no defaults: this scenario is not read from a file");
    }
    text.parse(
        defaults.text,
        [&](toml::table& shared) {
            for (auto&& [key, node] : shared) {
                auto* own = scenario.get(key);
                if (std::ranges::find(kFileKeys, key.str()) != kFileKeys.end()) {
                    text.complaints().add(place(key.source()), key.str(),
                                          "a key that scenarios may share; this one belongs to each scenario");
                } else if (own == nullptr) {
                    scenario.insert(key, std::move(node));
                } else if (own->is_array() && node.is_array_of_tables()) {
                    prepend(*own->as_array(), *node.as_array());
                } else if (own->is_array()) {
                    text.wrong(node, fmt::format("tables [[{}]], as in the scenario", key.str()));
                }
            }
        },
        defaults.file);
}

}  // namespace petrel::codec

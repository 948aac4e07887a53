// One table of a scenario while it is read. Every key is read by name; done() adds a complaint about each key that was
// not read. A missing value leaves `into` unchanged: the defaults are in the data types, not here. For the .cpp files
// of codec/scenario only.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "codec/scenario/values.hpp"
#include "codec/toml_text.hpp"

namespace petrel::codec {

class Section {
public:
    Section(TomlText& text, const toml::table& table) : text_(text), table_(table) {}

    TomlText& text() { return text_; }
    const toml::table& table() const { return table_; }

    const toml::node* find(std::string_view key)
    {
        if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
            known_.push_back(key);
        }
        return table_.get(key);
    }
    // Like find(), with a complaint if the key is missing.
    const toml::node* require(std::string_view key, std::string_view what);
    // The key `kind`. Without it the other keys of the table are not known, so only this one may be misspelt.
    const toml::node* require_kind(std::string_view what);

    void read(std::string_view key, bool& into);
    void read(std::string_view key, std::string& into);
    void read(std::string_view key, double& into, double least, double most);

    // A whole number; T holds least..most.
    template <class T>
    void number(std::string_view key, T& into, std::int64_t least, std::int64_t most)
    {
        if (const auto* node = find(key)) {
            if (const auto value = whole(*node, least, most)) {
                into = static_cast<T>(*value);
            }
        }
    }
    std::optional<std::int64_t> whole(const toml::node&, std::int64_t least, std::int64_t most);

    void time(std::string_view key, std::uint64_t& into_ps, std::uint64_t least_ps = 0);
    void rate(std::string_view key, BitRate& into);
    template <class T>
    void size(std::string_view key, T& into, std::uint64_t most = std::numeric_limits<T>::max())
    {
        if (const auto* node = find(key)) {
            if (const auto value = bytes(*node, most)) {
                into = static_cast<T>(*value);
            }
        }
    }
    std::optional<std::uint64_t> bytes(const toml::node&, std::uint64_t most);

    // The index of the value in `words`.
    std::optional<std::size_t> choice(const toml::node&, std::span<const std::string_view> words);

    // Priorities as a mask: a number 0..7, or a list of them.
    void priorities(std::string_view key, std::uint8_t& into);
    std::vector<std::uint8_t> numbers_to_7(const toml::node&);

    // A table inside this one; none if it is missing or not a table.
    std::optional<Section> below(std::string_view key);

    void done();

private:
    TomlText& text_;
    const toml::table& table_;
    std::vector<std::string_view> known_;
};

}  // namespace petrel::codec

// What all readers of TOML share: every problem with its place, the value and what is allowed, and how values are shown
// in a complaint. For the .cpp files of codec only: it brings the TOML library along.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "codec/complaint_list.hpp"

namespace petrel::codec {

Place place(const toml::source_region&);
Place place(const toml::node&);

// How a value is shown in a complaint.
std::string shown(const toml::node&);

class TomlText {
public:
    explicit TomlText(std::string_view file) : complaints_(file) {}

    // Hands the top table over, unless the text is no TOML: then that is the only complaint.
    void parse(std::string_view text, const std::function<void(const toml::table&)>& read);

    ComplaintList& complaints() { return complaints_; }

    void wrong(const toml::node& node, std::string allowed)
    {
        complaints_.add(place(node), shown(node), std::move(allowed));
    }
    void unknown(const toml::key&, std::span<const std::string_view> known);
    void only(const toml::table&, std::span<const std::string_view> known);  // complains of every other key

    std::string text(const toml::node&);  // empty if it is none
    std::string name(const toml::node&);  // the same, and it can be shown on a terminal
    bool flag(const toml::node&);

    template <class Read>
    void each_table(const toml::node& node, std::string_view wanted, const Read& read)
    {
        const auto* list = node.as_array();
        if (list == nullptr || !list->is_homogeneous(toml::node_type::table)) {
            return wrong(node, fmt::format("tables {}", wanted));
        }
        for (const auto& table : *list) {
            read(*table.as_table());
        }
    }

private:
    bool is_shallow(std::string_view text);

    ComplaintList complaints_;
};

}  // namespace petrel::codec

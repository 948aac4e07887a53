// The common part of all TOML readers: complaints with place, value and allowed values, and how values appear in a
// complaint. For the .cpp files of codec and codec/scenario only: it includes the TOML library.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaint_list.hpp"

namespace petrel::codec {

Place place(const toml::source_region&);
Place place(const toml::node&);

// The text of a value in a complaint.
std::string shown(const toml::node&);

class TomlText {
public:
    explicit TomlText(std::string_view file) : complaints_(file) {}

    using Read = std::function<void(toml::table&)>;

    // Calls `read` with the top table. If the text is not TOML, that is the only complaint about it. Complaints about
    // its nodes name `other_file`, if that is not empty.
    //
    // A misspelt key must cause no other complaint, and its value must be checked. So after unknown() with a key that
    // is a slip of a known one, it gets that name, and `read` is called again: it starts afresh each time. `prepare` is
    // called once.
    void parse(std::string_view text, const Read& read, std::string_view other_file = {}, const Read& prepare = {});

    ComplaintList& complaints() { return complaints_; }

    void wrong(const toml::node& node, std::string allowed)
    {
        complaints_.add(place(node), shown(node), std::move(allowed));
    }
    void unknown(const toml::key&, std::span<const std::string_view> known);
    void only(const toml::table&, std::span<const std::string_view> known);  // adds a complaint about each other key

    std::string text(const toml::node&);  // empty if it is not a string
    std::string name(const toml::node&);  // like text(), but must be printable on a terminal
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
    struct Misspelt {
        Place at;
        std::string key;
        std::string right;
        std::string allowed;
    };

    bool is_shallow(std::string_view text, std::string_view other_file);
    void read_corrected(toml::table&, const Read&);

    ComplaintList complaints_;
    std::vector<Misspelt> misspelt_;  // of the present call of `read`
};

}  // namespace petrel::codec

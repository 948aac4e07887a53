// One JSON object a line, as in link scripts and link histories. Reads values by key, and adds complaints with the line
// about missing, invalid or unknown ones. For the .cpp files of codec only: it includes the JSON library.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/complaint_list.hpp"
#include "codec/text_lines.hpp"

namespace petrel::codec {

class LinkJsonLine {
public:
    static constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

    LinkJsonLine(const Line&, ComplaintList&);

    bool is_object() const { return json_.is_object(); }
    bool has(std::string_view key) const { return is_object() && json_.contains(key); }

    // If the value is missing or invalid, these add a complaint and return 0 or nothing.
    std::uint64_t number(std::string_view key, std::uint64_t most = kMost);
    std::uint8_t byte(std::string_view key) { return static_cast<std::uint8_t>(number(key, 255)); }
    std::int64_t signed_number(std::string_view key, std::int64_t most);  // at least -most
    std::optional<std::string> text(std::string_view key, std::string_view allowed);

    // Optional keys.
    bool flag(std::string_view key, bool otherwise);
    std::optional<std::uint64_t> number_or_null(std::string_view key, std::uint64_t most = kMost);

    // A number, or a string like "0x172000".
    std::uint32_t mask(std::string_view key);

    void complain(std::string_view key, std::string allowed);
    void refuse_other_keys(std::initializer_list<std::string_view> known);

private:
    const nlohmann::json& value(std::string_view key) const;

    const Line& line_;
    ComplaintList& complaints_;
    nlohmann::json json_;
};

}  // namespace petrel::codec

#include "codec/sonic/table_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/complaint_text.hpp"
#include "codec/json_shape.hpp"

namespace petrel::codec {

namespace {

constexpr char kSeparator = '|';
constexpr std::size_t kDeepest = 3;  // tables, entries, fields

Error wrong(std::string_view where, std::string_view allowed)
{
    return {ErrorKind::corrupt, fmt::format("{}: allowed {}", escaped(where), allowed)};
}

// Returns a discarded value if the text is not JSON, or nested deeper than tables are.
nlohmann::json parse_tables(std::string_view text)
{
    // Parentheses, not braces: braces would make a list that contains the discarded value.
    return json_shape(text).depth > kDeepest ? nlohmann::json(nlohmann::json::value_t::discarded)
                                             : nlohmann::json::parse(text, nullptr, false);
}

}  // namespace

bool fits_table_file(std::string_view key)
{
    const auto at = key.find(kSeparator);
    return at != std::string_view::npos && at != 0 && at + 1 != key.size();
}

std::string table_file_text(const control::TableContent& content)
{
    nlohmann::json tables = nlohmann::json::object();
    for (const auto& [key, hash] : content) {
        const auto at = key.find(kSeparator);
        tables[key.substr(0, at)][key.substr(at + 1)] = hash;
    }
    return tables.dump(4, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

Result<control::TableContent> read_table_file(std::string_view text)
{
    const auto tables = parse_tables(text);
    if (!tables.is_object()) {
        return tl::unexpected(wrong("the file", "one complete JSON object of tables"));
    }
    control::TableContent content;
    for (const auto& [name, table] : tables.items()) {
        if (!table.is_object()) {
            return tl::unexpected(wrong(name, "an object of entries"));
        }
        for (const auto& [entry, fields] : table.items()) {
            const auto key = fmt::format("{}{}{}", name, kSeparator, entry);
            if (!fields.is_object() || !fits_table_file(key)) {
                return tl::unexpected(wrong(key, "an entry with a name and an object of fields"));
            }
            auto& hash = content[key];
            for (const auto& [field, value] : fields.items()) {
                if (!value.is_string()) {
                    return tl::unexpected(wrong(fmt::format("{}: {}", key, field), "text"));
                }
                hash.emplace(field, value.get<std::string>());
            }
        }
    }
    return content;
}

}  // namespace petrel::codec

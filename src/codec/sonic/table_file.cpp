#include "codec/sonic/table_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/json_shape.hpp"

namespace petrel::codec {

namespace {

constexpr char kSeparator = '|';
constexpr std::size_t kDeepest = 3;  // tables, entries, fields

// The format has the form of a table, so that versions without it read the file, too. A file without it is of
// version 1.
constexpr auto kFormatTable = "PETREL_FORMAT";
constexpr auto kFormatEntry = "tables";
constexpr auto kFormatField = "version";
constexpr auto kFormatVersion = "1";

Error wrong(std::string_view where, std::string_view allowed)
{
    return {ErrorKind::corrupt, fmt::format("{}: allowed {}", escaped(where), allowed)};
}

// Takes the version out of the tables.
Result<control::TableContent> of_known_version(control::TableContent content)
{
    const auto format = content.find(fmt::format("{}{}{}", kFormatTable, kSeparator, kFormatEntry));
    if (format == content.end()) {
        return content;
    }
    const auto version = format->second.find(kFormatField);
    if (version == format->second.end() || version->second != kFormatVersion) {
        return tl::unexpected(
            Error{ErrorKind::unsupported,
                  fmt::format("its format has the version '{}', and this program reads version {}: use the version of "
                              "Petrel that wrote it",
                              version == format->second.end() ? "" : excerpt(version->second), kFormatVersion)});
    }
    content.erase(format);
    return content;
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
    tables[kFormatTable][kFormatEntry][kFormatField] = kFormatVersion;
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
    return of_known_version(std::move(content));
}

}  // namespace petrel::codec

#include "codec/sonic/table_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/json_place.hpp"

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

class TableFile {
public:
    TableFile(std::string_view text, std::string_view file) : complaints(file), text_(text)
    {
        const auto tables = parse_json(text, kDeepest, complaints);
        if (!tables.is_object()) {
            if (!tables.is_discarded()) {
                complaints.add({}, {}, "a JSON object of tables");
            }
            return;
        }
        for (const auto& [name, table] : tables.items()) {
            read_table(name, table);
        }
    }

    ComplaintList complaints;
    control::TableContent content;

private:
    void read_table(const std::string& name, const nlohmann::json& table)
    {
        if (!table.is_object()) {
            return complaints.add(json_place(text_, {name}, complaints), name, "an object of entries");
        }
        for (const auto& [entry, fields] : table.items()) {
            read_entry(name, entry, fields);
        }
    }

    void read_entry(const std::string& table, const std::string& entry, const nlohmann::json& fields)
    {
        const auto key = fmt::format("{}{}{}", table, kSeparator, entry);
        if (!fields.is_object() || !fits_table_file(key)) {
            return complaints.add(json_place(text_, {table, entry}, complaints), key,
                                  "an entry with a name and an object of fields");
        }
        auto& hash = content[key];
        for (const auto& [field, value] : fields.items()) {
            if (value.is_string()) {
                hash.emplace(field, value.get<std::string>());
            } else {
                complaints.add(json_place(text_, {table, entry, field}, complaints), fmt::format("{}: {}", key, field),
                               "text");
            }
        }
    }

    std::string_view text_;
};

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

Result<control::TableContent> read_table_file(std::string_view text, std::string_view file)
{
    TableFile read{text, file};
    if (!read.complaints.empty()) {
        auto all = std::move(read.complaints).take();
        return tl::unexpected(Error{ErrorKind::corrupt, to_text(all, "\n"), false, std::move(all)});
    }
    return of_known_version(std::move(read.content));
}

}  // namespace petrel::codec

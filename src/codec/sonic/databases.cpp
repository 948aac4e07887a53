#include "codec/sonic/databases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/complaint_list.hpp"
#include "codec/json_text.hpp"

namespace petrel::codec {

namespace {

// `otherwise` if the member is missing or has another type.
template <class T>
T member_or(const nlohmann::json& object, const char* key, T otherwise)
{
    const auto at = object.find(key);
    const bool right =
        at != object.end() && (std::is_same_v<T, std::string> ? at->is_string() : at->is_number_integer());
    return right ? at->get<T>() : std::move(otherwise);
}

const nlohmann::json& table(const nlohmann::json& config, const char* key)
{
    static const nlohmann::json kNone = nlohmann::json::object();
    const auto at = config.find(key);
    return at != config.end() && at->is_object() ? *at : kNone;
}

constexpr std::int64_t kMostDatabases = 1024;

}  // namespace

Parsed<std::map<std::string, DatabaseEntry>> read_database_config(std::string_view text, std::string_view file)
{
    ComplaintList complaints{file};
    const auto config = nlohmann::json::parse(text, nullptr, false);
    if (!config.is_object()) {
        complaints.add_sentence({}, "is no JSON object");
        return tl::make_unexpected(std::move(complaints).take());
    }
    const auto& instances = table(config, "INSTANCES");
    std::map<std::string, DatabaseEntry> entries;
    for (const auto& [name, database] : table(config, "DATABASES").items()) {
        if (!database.is_object()) {
            complaints.add({}, name, "an object with id and instance");
            continue;
        }
        const auto instance = member_or<std::string>(database, "instance", "");
        const auto number = member_or<std::int64_t>(database, "id", -1);
        const auto& place = table(instances, instance.c_str());
        const auto port = member_or<std::int64_t>(place, "port", 0);
        DatabaseEntry entry{member_or<std::string>(place, "unix_socket_path", ""),
                            member_or<std::string>(place, "hostname", ""), static_cast<int>(port),
                            static_cast<int>(number)};
        if (number < 0 || number >= kMostDatabases) {
            complaints.add_sentence({}, fmt::format("{}: its id has to be 0..{}", name, kMostDatabases - 1));
        } else if (port < 0 || port > 65535 || (entry.unix_socket.empty() && (entry.host.empty() || port == 0))) {
            complaints.add_sentence(
                {}, fmt::format("{}: its instance '{}' has neither unix_socket_path nor hostname and port", name,
                                instance));
        } else {
            entries.emplace(name, std::move(entry));
        }
    }
    if (entries.empty() && complaints.empty()) {
        complaints.add_sentence({}, "names no database (DATABASES, INSTANCES)");
    }
    if (!complaints.empty()) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    return entries;
}

Parsed<std::vector<AsicEntry>> read_asics(std::string_view database_global, std::string_view file)
{
    ComplaintList complaints{file};
    const auto global = nlohmann::json::parse(database_global, nullptr, false);
    if (!global.is_object()) {
        complaints.add_sentence({}, "is no JSON object");
        return tl::make_unexpected(std::move(complaints).take());
    }
    std::vector<AsicEntry> asics;
    const auto includes = global.find("INCLUDES");
    if (includes == global.end()) {
        return asics;
    }
    for (const auto& include : *includes) {
        auto name = include.is_object() ? member_or<std::string>(include, "namespace", "") : "";
        if (name.empty()) {
            continue;  // the host's own databases
        }
        auto path = member_or<std::string>(include, "include", "");
        if (path.empty()) {
            complaints.add_sentence({}, fmt::format("{}: has no include, the path of its database_config.json", name));
        } else if (std::ranges::find(asics, name, &AsicEntry::name) != asics.end()) {
            complaints.add_sentence({}, fmt::format("{}: is given twice", name));
        } else {
            asics.push_back({std::move(name), std::move(path)});
        }
    }
    if (!complaints.empty()) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    return asics;
}

}  // namespace petrel::codec

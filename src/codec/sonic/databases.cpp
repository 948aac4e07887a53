#include "codec/sonic/databases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/complaint_list.hpp"
#include "codec/json_place.hpp"

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
constexpr std::size_t kDeepestConfig = 8;

// The object of the text; none after a complaint.
std::optional<nlohmann::json> read_object(std::string_view text, ComplaintList& complaints)
{
    auto value = parse_json(text, kDeepestConfig, complaints);
    if (value.is_discarded()) {
        return std::nullopt;
    }
    if (!value.is_object()) {
        complaints.add_sentence({}, "is no JSON object");
        return std::nullopt;
    }
    return value;
}

}  // namespace

Parsed<std::map<std::string, DatabaseEntry>> read_database_config(std::string_view text, std::string_view file)
{
    ComplaintList complaints{file};
    const auto config = read_object(text, complaints);
    if (!config) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    const auto& instances = table(*config, "INSTANCES");
    std::map<std::string, DatabaseEntry> entries;
    std::set<std::string> bad_instances;  // each is one complaint, however many databases it has
    for (const auto& [name, database] : table(*config, "DATABASES").items()) {
        const JsonPath path{"DATABASES", name};
        const auto complain = [&](const char* key, std::string sentence) {
            complaints.add_sentence(json_place(text, {"DATABASES", name, key}, complaints), std::move(sentence));
        };
        if (!database.is_object()) {
            complaints.add(json_place(text, path, complaints), name, "an object with id and instance");
            continue;
        }
        const auto instance = member_or<std::string>(database, "instance", "");
        const auto number = member_or<std::int64_t>(database, "id", -1);
        const auto& place = table(instances, instance.c_str());
        const auto port = member_or<std::int64_t>(place, "port", 0);
        DatabaseEntry entry{member_or<std::string>(place, "unix_socket_path", ""),
                            member_or<std::string>(place, "hostname", ""), static_cast<int>(port),
                            static_cast<int>(number)};
        const bool numbered = number >= 0 && number < kMostDatabases;
        const bool reachable = !entry.unix_socket.empty() || (!entry.host.empty() && port != 0);
        const bool placed = reachable && port >= 0 && port <= 65535;
        if (!numbered) {
            complain("id", fmt::format("{}: its id has to be 0..{}", name, kMostDatabases - 1));
        }
        if (!placed && bad_instances.insert(instance).second) {
            complain("instance", fmt::format("{}: its instance '{}' has neither unix_socket_path nor hostname and port",
                                             name, instance));
        }
        if (numbered && placed) {
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
    const auto global = read_object(database_global, complaints);
    if (!global) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    std::vector<AsicEntry> asics;
    const auto includes = global->find("INCLUDES");
    if (includes == global->end()) {
        return asics;
    }
    std::size_t index = 0;
    for (const auto& include : *includes) {
        const JsonPath path_of_entry{"INCLUDES", std::to_string(index++)};
        auto name = include.is_object() ? member_or<std::string>(include, "namespace", "") : "";
        if (name.empty()) {
            continue;  // the host's own databases
        }
        auto path = member_or<std::string>(include, "include", "");
        if (path.empty()) {
            complaints.add_sentence(json_place(database_global, path_of_entry, complaints),
                                    fmt::format("{}: has no include, the path of its database_config.json", name));
        } else if (std::ranges::find(asics, name, &AsicEntry::name) != asics.end()) {
            complaints.add_sentence(json_place(database_global, path_of_entry, complaints),
                                    fmt::format("{}: is given twice", name));
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

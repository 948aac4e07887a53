// A dump of SONiC's COUNTERS_DB (sonic-db-dump, redis-dump): an object with a hash for each key. The dump does not have
// its time: the name of its file has.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/complaint_text.hpp"
#include "codec/import/import_readers.hpp"
#include "codec/import/sonic_counters.hpp"
#include "codec/json_place.hpp"

namespace petrel::codec {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepestDump = 4;

// The time in a name: 2026-03-09T07:05:00.123Z, or seconds since 1970.
std::optional<std::int64_t> time_in_name(std::string_view path)
{
    constexpr std::size_t kSeconds = 10;
    constexpr std::string_view kOfTimes = "0123456789T:.+Z-";
    const auto name = path.substr(path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1);
    for (std::size_t begin = 0; begin != name.size(); ++begin) {
        if (name[begin] < '0' || name[begin] > '9' ||
            (begin != 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9')) {
            continue;
        }
        const auto end = std::min(name.find_first_not_of(kOfTimes, begin), name.size());
        for (auto length = end - begin; length > kSeconds; --length) {
            const auto text = name.substr(begin, length);
            if (text[kSeconds] == 'T') {
                if (const auto at = recorded_time(text, TimeUnit::s)) {
                    return at;
                }
            }
        }
        const auto digits = std::min(name.find_first_not_of("0123456789", begin), name.size());
        if (digits - begin == kSeconds) {
            auto fraction = digits;
            if (fraction + 1 < name.size() && name[fraction] == '.' && name[fraction + 1] >= '0' &&
                name[fraction + 1] <= '9') {
                fraction = std::min(name.find_first_not_of("0123456789", digits + 1), name.size());
            }
            return recorded_time(name.substr(begin, fraction - begin), TimeUnit::s);
        }
    }
    return std::nullopt;
}

// {"type": "hash", "value": {...}} or the hash itself.
control::TableHash hash_at(const json& dump, const std::string& key)
{
    const auto at = dump.find(key);
    const auto* hash = at != dump.end() && at->is_object() ? &*at : nullptr;
    if (hash != nullptr) {
        const auto value = hash->find("value");
        hash = value != hash->end() && value->is_object() ? &*value : hash;
    }
    control::TableHash fields;
    if (hash != nullptr) {
        for (const auto& [field, value] : hash->items()) {
            if (value.is_string()) {
                fields.emplace(field, value.get<std::string>());
            }
        }
    }
    return fields;
}

}  // namespace

void read_sonic_dump(const ImportFile& file, Import& import, ComplaintList& complaints)
{
    const auto dump = parse_json(file.text, kDeepestDump, complaints);
    if (dump.is_discarded()) {
        return;
    }
    if (!dump.is_object()) {
        complaints.add({1, 1}, {}, "a dump of COUNTERS_DB as one JSON object: sonic-db-dump -n COUNTERS_DB -y");
        return;
    }
    const auto at = time_in_name(file.name);
    if (!at) {
        complaints.add({}, file.name, "a time in the name of the file, such as counters-2026-03-09T07:05:00.123Z.json");
    }
    std::array<control::TableHash, 3> maps;
    for (std::size_t i = 0; i != maps.size(); ++i) {
        maps[i] = hash_at(dump, std::string{kSonicNameMaps[i]});
    }
    if (maps[0].empty()) {
        complaints.add({}, std::string{kSonicNameMaps[0]}, "a dump with this key: it names the ports");
    }
    if (!at || maps[0].empty()) {
        return;
    }
    const SonicCounters counters{std::move(maps)};
    std::vector<control::TableHash> hashes;
    for (const auto& key : counters.keys()) {
        hashes.push_back(hash_at(dump, key));
    }
    counters.read(*at, hashes, {}, import.recording);
}

}  // namespace petrel::codec

#include "sonic_tools/pfcwd_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "sonic_tools/outcome.hpp"

namespace petrel::sonic_tools {
namespace {

constexpr std::int64_t kUsualInterval_ms = 100;  // where none is configured

}  // namespace

std::string watch_key(const std::string& port) { return fmt::format("PFC_WD|{}", port); }

std::vector<std::string> watch_keys(const std::vector<std::string>& ports)
{
    std::vector<std::string> keys;
    std::transform(ports.begin(), ports.end(), std::back_inserter(keys), watch_key);
    return keys;
}

std::optional<std::int64_t> time_of(const std::string& port, const Hash& entry, const std::string& name)
{
    const auto found = entry.find(name);
    if (found == entry.end()) {
        return std::nullopt;
    }
    std::int64_t value{};
    const auto& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        stop_with(fmt::format("{} has {} '{}', which is no number of milliseconds", watch_key(port), name, text));
    }
    return value;
}

std::vector<std::pair<std::string, Hash>> watched_ports(Tables& tables)
{
    auto entries = tables.table("PFC_WD");
    std::erase_if(entries, [](const auto& entry) { return entry.first == kGlobal; });
    return entries;
}

std::int64_t poll_interval(Tables& tables)
{
    return time_of(kGlobal, tables.hash(Db::config, watch_key(kGlobal)), kPollInterval).value_or(kUsualInterval_ms);
}

void need_interval_below(std::int64_t interval_ms, const std::vector<std::pair<std::string, Hash>>& entries)
{
    std::int64_t shortest = interval_ms;
    std::string_view what;
    for (const auto& [port, entry] : entries) {
        for (const auto& [name, words] :
             {std::pair{"detection_time", "detection time"}, {"restoration_time", "restoration time"}}) {
            if (const auto time = time_of(port, entry, name); time && *time < shortest) {
                shortest = *time;
                what = words;
            }
        }
    }
    if (!what.empty()) {
        stop_with(fmt::format("unable to use polling interval = {}ms, value is bigger than one of the configured {} "
                              "values, please choose a smaller polling_interval",
                              interval_ms, what));
    }
}

std::vector<std::string> lossless_ports(Tables& tables, const std::vector<std::string>& ports, std::string& skipped)
{
    std::vector<std::string> keys;
    for (const auto& port : ports) {
        keys.push_back(fmt::format("PORT_QOS_MAP|{}", port));
    }
    const auto maps = tables.hashes(Db::config, keys);
    std::vector<std::string> lossless;
    for (std::size_t i = 0; i != ports.size(); ++i) {
        if (!field(maps[i], "pfc_enable").empty()) {
            lossless.push_back(ports[i]);
        } else {
            skipped += fmt::format("SKIPPED: PFC is not enabled on port: {}\n", ports[i]);
        }
    }
    return lossless;
}

}  // namespace petrel::sonic_tools

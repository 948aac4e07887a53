#include "sonic/storm_info.hpp"

#include <fmt/format.h>

namespace petrel::sonic {

namespace {

// In the format of the scripts: seconds with microseconds, 14 significant digits.
std::string as_seconds(WallTime at)
{
    return fmt::format("{:.14g}", std::chrono::duration<double>(at.time_since_epoch()).count());
}

std::string as_microseconds(Duration time)
{
    return fmt::format("{:.14g}", std::chrono::duration<double, std::micro>(time).count());
}

}  // namespace

std::vector<std::pair<std::string, std::string>> fields(const StormInfo& info)
{
    std::vector<std::pair<std::string, std::string>> all;
    const auto add = [&](std::string name, const auto& value, auto text) {
        if (value) {
            all.emplace_back(std::move(name), text(*value));
        }
    };
    const auto number = [](std::uint64_t value) { return std::to_string(value); };
    const auto add_counter = [&](const std::string& name, const StormInfo::Counter& counter) {
        add(name, counter.now, number);
        add(name + "_last", counter.last, number);
    };
    add("occupancy", info.occupancy, number);
    add_counter("packets", info.packets);
    add_counter("pfc_rx_packets", info.pfc_rx_packets);
    add_counter("pfc_duration", info.pfc_duration_us);
    add("timestamp", info.timestamp, as_seconds);
    add("timestamp_last", info.timestamp_last, as_seconds);
    add("effective_poll_time", info.effective_poll_time, as_microseconds);
    add("effective_pfcwd_poll_time_last", info.effective_pfcwd_poll_time_last, as_microseconds);
    add("paused", info.paused, [](bool paused) { return paused ? "true" : "false"; });
    return all;
}

std::string info_text(const StormInfo& info)
{
    std::string text;
    for (const auto& [name, value] : fields(info)) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : "|", name, value);
    }
    return text;
}

}  // namespace petrel::sonic

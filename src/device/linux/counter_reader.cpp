#include "device/linux/counter_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace petrel::device::linux_nic {

namespace {

using watchdog::Field;
using watchdog::Sample;

class Values {
public:
    explicit Values(std::span<const Counter> counters)
    {
        for (const auto& counter : counters) {
            by_name_.emplace(trimmed(counter.name), counter.value);
        }
    }

    std::optional<std::uint64_t> find(std::string_view name) const
    {
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? std::nullopt : std::optional{found->second};
    }

private:
    static std::string_view trimmed(std::string_view name)
    {
        const auto begin = name.find_first_not_of(' ');
        return begin == std::string_view::npos ? "" : name.substr(begin, name.find_last_not_of(' ') - begin + 1);
    }

    std::map<std::string_view, std::uint64_t> by_name_;
};

std::string name_for(std::string_view pattern, std::size_t priority)
{
    std::string name{pattern};
    if (const auto at = name.find('#'); at != std::string::npos) {
        name.replace(at, 1, std::to_string(priority));
    }
    return name;
}

void put(Sample& sample, Field field, std::optional<std::uint64_t> value)
{
    if (value) {
        sample.known |= bit(field);
        sample[field] = *value;
    }
}

std::optional<std::uint64_t> sum(const Values& values, std::span<const std::string_view> names)
{
    std::optional<std::uint64_t> total;
    for (const auto name : names) {
        const auto value = values.find(name);
        if (!value) {
            return std::nullopt;  // the other counters alone could stand still while packets arrive
        }
        total = total.value_or(0) + *value;
    }
    return total == 0 ? std::nullopt : total;
}

bool counts_pause(const Sample& sample)
{
    return has(sample.known, Field::pause_tx) || has(sample.known, Field::pause_tx_us);
}

}  // namespace

NicCounters read_counters(const Vendor& vendor, std::span<const Counter> counters)
{
    const Values values{counters};
    NicCounters read;
    for (const auto& counter : vendor.priority_counters) {
        for (std::size_t priority = 0; priority != read.priorities.size(); ++priority) {
            auto value = values.find(name_for(counter.name, priority));
            if (!value && !counter.other_name.empty()) {
                value = values.find(name_for(counter.other_name, priority));
            }
            put(read.priorities[priority], counter.field, value);
        }
    }
    for (const auto& counter : vendor.port_counters) {
        put(read.port, counter.field, values.find(counter.name));
    }
    put(read.port, Field::rx_packets, sum(values, vendor.progress));
    read.storms = vendor.storms.name.empty() ? std::nullopt : values.find(vendor.storms.name);
    read.storms_guessed = read.storms && vendor.storms.guessed;
    return read;
}

std::optional<std::string> monitored_only(const Vendor& vendor, const NicCounters& counters)
{
    if (auto why = monitored_only(vendor.driver)) {
        return why;
    }
    if (!counts_pause(counters.port) && std::ranges::none_of(counters.priorities, counts_pause)) {
        return fmt::format("this NIC of driver '{}' does not report the pause that it sends: it is monitored only",
                           vendor.driver);
    }
    if (!has(counters.port.known, Field::rx_packets)) {
        return fmt::format("this NIC of driver '{}' does not show whether it receives ({} missing or zero): it is "
                           "monitored only",
                           vendor.driver, fmt::join(vendor.progress, ", "));
    }
    return std::nullopt;
}

}  // namespace petrel::device::linux_nic

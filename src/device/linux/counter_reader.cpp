#include "device/linux/counter_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

namespace petrel::device::linux_nic {

namespace {

using watchdog::Field;
using watchdog::Sample;

class Names {
public:
    explicit Names(std::span<const std::string> names)
    {
        for (std::size_t i = 0; i != names.size(); ++i) {
            by_name_.emplace(trimmed(names[i]), i);
        }
    }

    std::optional<std::size_t> find(std::string_view name) const
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

    std::map<std::string_view, std::size_t> by_name_;
};

std::string name_for(std::string_view pattern, std::size_t priority)
{
    std::string name{pattern};
    if (const auto at = name.find('#'); at != std::string::npos) {
        name.replace(at, 1, std::to_string(priority));
    }
    return name;
}

bool counts_pause(const Sample& sample)
{
    return has(sample.known, Field::pause_tx) || has(sample.known, Field::pause_tx_us);
}

}  // namespace

void CounterReader::find_places(std::span<const Counter> counters)
{
    names_.clear();
    std::ranges::transform(counters, std::back_inserter(names_), &Counter::name);
    places_.clear();
    progress_.clear();
    const Names names{names_};
    const auto add = [&](std::optional<std::size_t> counter, Field field, std::size_t sample) {
        if (counter) {
            places_.push_back({*counter, field, sample});
        }
    };
    for (const auto& counter : vendor_->priority_counters) {
        for (std::size_t priority = 0; priority != kPriorities; ++priority) {
            auto place = names.find(name_for(counter.name, priority));
            if (!place && !counter.other_name.empty()) {
                place = names.find(name_for(counter.other_name, priority));
            }
            add(place, counter.field, priority);
        }
    }
    for (const auto& counter : vendor_->port_counters) {
        add(names.find(counter.name), counter.field, kPriorities);
    }
    for (const auto name : vendor_->progress) {
        const auto place = names.find(name);
        if (!place) {
            progress_.clear();  // the other counters alone could stand still while packets arrive
            break;
        }
        progress_.push_back(*place);
    }
    storms_ = vendor_->storms.name.empty() ? std::nullopt : names.find(vendor_->storms.name);
}

std::optional<std::uint64_t> CounterReader::progress(std::span<const Counter> counters) const
{
    std::uint64_t total = 0;
    for (const auto place : progress_) {
        total += counters[place].value;
    }
    return total == 0 ? std::nullopt : std::optional{total};
}

NicCounters CounterReader::read(std::span<const Counter> counters)
{
    if (!std::ranges::equal(counters, names_, {}, &Counter::name)) {
        find_places(counters);
    }
    NicCounters read;
    for (const auto& place : places_) {
        auto& sample = place.sample == kPriorities ? read.port : read.priorities[place.sample];
        sample.known |= bit(place.field);
        sample[place.field] = counters[place.counter].value;
    }
    if (const auto received = progress(counters)) {
        read.port.known |= bit(Field::rx_packets);
        read.port[Field::rx_packets] = *received;
    }
    if (storms_) {
        read.storms = counters[*storms_].value;
        read.storms_guessed = vendor_->storms.guessed;
    }
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

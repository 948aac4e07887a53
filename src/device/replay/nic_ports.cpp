#include "device/replay/nic_ports.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "device/nic_port.hpp"

namespace petrel::device {

using watchdog::Field;
using watchdog::Sample;

namespace {

struct PortRows {
    std::optional<Slot> own;
    std::vector<Slot> priorities;
    NicPort counters;
};

std::vector<PortRows> rows_by_port(const DeviceTrace& trace)
{
    std::vector<PortRows> ports(trace.inventory.ports.size());
    for (std::uint32_t r = 0; r != trace.inventory.rows.size(); ++r) {
        const auto& target = trace.inventory.rows[r].target;
        auto& port = ports[target.port.index];
        if (target.priority) {
            port.priorities.push_back(Slot{r});
        } else {
            port.own = Slot{r};
        }
    }
    for (const auto& sample : trace.samples) {
        const auto& target = trace.inventory.rows[sample.slot.value].target;
        if (!target.priority && has(sample.known, Field::rx_packets)) {
            ports[target.port.index].priorities.clear();
        }
    }
    std::erase_if(ports, [](const PortRows& port) { return port.priorities.empty(); });
    return ports;
}

// The samples of one look: at most one for each row.
class Look {
public:
    explicit Look(std::size_t rows) : at_(rows) {}

    void begin() { std::ranges::fill(at_, nullptr); }
    void put(Sample& sample) { at_[sample.slot.value] = &sample; }
    Sample* find(Slot slot) const { return at_[slot.value]; }

    // Empty: a priority is missing.
    std::vector<Sample> of(const std::vector<Slot>& priorities) const
    {
        std::vector<Sample> each;
        for (const auto slot : priorities) {
            if (at_[slot.value] == nullptr) {
                return {};
            }
            each.push_back(*at_[slot.value]);
        }
        return each;
    }

private:
    std::vector<Sample*> at_;
};

// A sample of the port that knows nothing yet: as late as the latest of its priorities, and in a new epoch when one of
// them is.
Sample blank(Slot slot, const std::vector<Sample>& each)
{
    Sample sample;
    sample.slot = slot;
    sample.read_at = std::ranges::max_element(each, {}, &Sample::read_at)->read_at;
    for (const auto& one : each) {
        sample.epoch += one.epoch;
    }
    const bool down = std::ranges::any_of(each, [](const Sample& one) { return one.epoch == 0; });
    sample.epoch = down ? 0 : sample.epoch;
    return sample;
}

}  // namespace

void add_nic_ports(DeviceTrace& trace)
{
    const auto fields = trace.capabilities.fields;
    if (!has(fields, Field::rx_packets) || (fields & (bit(Field::pause_tx) | bit(Field::pause_tx_us))) == 0) {
        return;
    }
    auto ports = rows_by_port(trace);
    auto& rows = trace.inventory.rows;
    for (auto& port : ports) {
        if (!port.own) {
            auto row = rows[port.priorities.front().value];
            row.target.priority.reset();
            port.own = Slot{static_cast<std::uint32_t>(rows.size())};
            rows.push_back(row);
        }
    }
    std::vector<Sample> samples;
    std::vector<std::int64_t> time_us;
    Look look{rows.size()};
    for (std::size_t first = 0, last = 0; first < trace.samples.size(); first = last) {
        look.begin();
        for (; last < trace.samples.size() && trace.time_us[last] == trace.time_us[first]; ++last) {
            look.put(trace.samples[last]);
        }
        std::vector<Sample> added;
        for (auto& port : ports) {
            const auto each = look.of(port.priorities);
            auto* own = look.find(*port.own);
            if (!each.empty()) {
                port.counters.combine(each, own != nullptr ? *own : added.emplace_back(blank(*port.own, each)));
            }
        }
        samples.insert(samples.end(), trace.samples.begin() + static_cast<std::ptrdiff_t>(first),
                       trace.samples.begin() + static_cast<std::ptrdiff_t>(last));
        samples.insert(samples.end(), added.begin(), added.end());
        time_us.resize(samples.size(), trace.time_us[first]);
    }
    trace.samples = std::move(samples);
    trace.time_us = std::move(time_us);
}

}  // namespace petrel::device

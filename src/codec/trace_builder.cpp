#include "codec/trace_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace petrel::codec {

namespace {

using watchdog::Treatment;

constexpr std::string_view kOnlyDevice = "device0";
constexpr std::size_t kMostPorts = std::numeric_limits<decltype(PortId::index)>::max();

constexpr watchdog::Treatments kAllTreatments = (1U << static_cast<unsigned>(Treatment::count_)) - 1;

// The state of a link over time, for a row, or for a port from its port-level row.
class LinkHistory {
public:
    void add(std::optional<bool> up, std::uint64_t speed_bps)
    {
        if (up) {
            changes_ += up_ && *up_ != *up ? 1U : 0U;
            up_ = up;
        }
        if (speed_bps != 0) {
            changes_ += speed_bps_ != 0 && speed_bps_ != speed_bps ? 1U : 0U;
            speed_bps_ = speed_bps;
            first_speed_bps_ = first_speed_bps_ == 0 ? speed_bps : first_speed_bps_;
        }
    }

    std::optional<bool> up() const { return up_; }
    std::uint32_t changes() const { return changes_; }
    std::uint64_t first_speed_bps() const { return first_speed_bps_; }

private:
    std::optional<bool> up_;
    std::uint64_t speed_bps_{};
    std::uint64_t first_speed_bps_{};
    std::uint32_t changes_{};
};

// Counts the breaks in the stamps of a row: stamps before and after a break cannot be compared. Breaks are: the
// device's clock was set; a row has no stamp while others have one; the previous row had no data, so that an interval
// "since the previous row" has no known start.
class StampHistory {
public:
    void add(std::int64_t time_us, std::int64_t stamp_us, bool has_data)
    {
        constexpr std::int64_t kJitterUs = 20'000;
        const bool jumped = has_stamp_ && stamp_us - stamp_us_ > 2 * (time_us - time_us_) + kJitterUs;
        breaks_ += jumped || (ever_had_data_ && !has_data_) ? 1U : 0U;
        if (!has_stamp_ || stamp_us != stamp_us_) {
            time_us_ = time_us;
            stamp_us_ = stamp_us;
        }
        has_stamp_ = true;
        has_data_ = has_data;
        ever_had_data_ = ever_had_data_ || has_data;
    }

    std::uint32_t breaks() const { return breaks_; }

private:
    std::int64_t time_us_{};  // time of the row in which the stamp first appeared
    std::int64_t stamp_us_{};
    std::uint32_t breaks_{};
    bool has_stamp_{};
    bool has_data_{};
    bool ever_had_data_{};
};

}  // namespace

std::optional<TraceBuilder::Misfit> TraceBuilder::add(const TraceRow& row)
{
    const auto device_name = row.device.empty() ? kOnlyDevice : row.device;
    auto device_at = device_numbers_.find(device_name);
    if (device_at == device_numbers_.end()) {
        device_at = device_numbers_.emplace(device_name, static_cast<std::uint32_t>(devices_.size())).first;
        devices_.emplace_back().name = device_name;
    }
    auto& device = devices_[device_at->second];

    auto port_at = device.port_numbers.find(row.port);
    if (port_at == device.port_numbers.end()) {
        if (device.ports.size() == kMostPorts) {
            return Misfit{Column::port, fmt::format("{} different ports in one device", kMostPorts)};
        }
        port_at = device.port_numbers.emplace(row.port, static_cast<std::uint32_t>(device.ports.size())).first;
        device.ports.emplace_back().name = row.port;
        device.ports.back().rows.fill(kNone);
    }
    auto& port = device.ports[port_at->second];

    auto& row_number = port.rows[row.priority ? row.priority->value + 1U : kPortLevel];
    if (row_number == kNone) {
        row_number = static_cast<std::uint32_t>(device.rows.size());
        device.rows.push_back({port_at->second, row.priority, row.time_us});
    } else if (auto& last_us = device.rows[row_number].last_us; row.time_us > last_us) {
        last_us = row.time_us;
    } else {
        return Misfit{Column::time_us,
                      fmt::format("more than {}, the time of the row before it of the same queue", last_us)};
    }

    device.samples.push_back(row.sample);
    device.samples.back().slot.value = row_number;
    device.time_us.push_back(row.time_us);
    device.links.push_back({row.speed_bps, row.link_up});
    return std::nullopt;
}

device::Trace TraceBuilder::finish() &&
{
    device::Trace trace;
    for (auto& device : devices_) {
        const DeviceId id{static_cast<std::uint32_t>(trace.devices.size())};
        trace.devices.push_back(finish_device(std::move(device), id));
    }
    return trace;
}

// A recording may list one queue after the other; the replay needs one look after the other.
void TraceBuilder::sort_by_time(Gathered& device)
{
    if (std::is_sorted(device.time_us.begin(), device.time_us.end())) {
        return;
    }
    std::vector<std::size_t> order(device.time_us.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair{device.time_us[a], a} < std::pair{device.time_us[b], b};
    });
    const auto rearrange = [&order](auto& column) {
        std::remove_reference_t<decltype(column)> sorted;
        sorted.reserve(column.size());
        std::transform(order.begin(), order.end(), std::back_inserter(sorted),
                       [&](std::size_t i) { return column[i]; });
        column = std::move(sorted);
    };
    rearrange(device.time_us);
    rearrange(device.samples);
    rearrange(device.links);
}

device::DeviceTrace TraceBuilder::finish_device(Gathered&& device, DeviceId id)
{
    sort_by_time(device);

    device::DeviceTrace trace;
    std::vector<Slot> slot_of_row(device.rows.size());
    for (std::size_t p = 0; p < device.ports.size(); ++p) {
        trace.inventory.ports.push_back({.name = device.ports[p].name, .xname = {}, .number = {}});
        for (const auto number : device.ports[p].rows) {
            if (number == kNone) {
                continue;
            }
            slot_of_row[number].value = static_cast<std::uint32_t>(trace.inventory.rows.size());
            const auto priority = device.rows[number].priority;
            trace.inventory.rows.push_back(
                {.target = {PortId{id, static_cast<std::uint16_t>(p)}, priority}, .speed = {}, .host_facing = false});
        }
    }

    trace.device = std::move(device.name);
    trace.time_us = std::move(device.time_us);
    trace.samples = std::move(device.samples);
    watchdog::Fields fields = 0;
    for (auto& sample : trace.samples) {
        sample.slot = slot_of_row[sample.slot.value];
        fields |= sample.known;
    }
    set_epochs(device, trace);

    trace.capabilities = {.fields = fields,
                          .survive = fields,
                          .treatments = kAllTreatments,
                          .port_wide =
                              bit(Treatment::lossless_off) | bit(Treatment::squeeze) | bit(Treatment::port_down),
                          .reads_back = true,
                          .detects_itself = false,
                          .refresh = {}};
    return trace;
}

// A row's link state is its own if the row has one; else that of the port-level row in the same or an earlier look.
void TraceBuilder::set_epochs(const Gathered& device, device::DeviceTrace& trace)
{
    auto& rows = trace.inventory.rows;
    std::vector<LinkHistory> of_port(device.ports.size());
    std::vector<LinkHistory> of_row(rows.size());
    std::vector<StampHistory> stamps(rows.size());
    for (std::size_t first = 0, last = 0; first < trace.samples.size(); first = last) {
        for (; last < trace.samples.size() && trace.time_us[last] == trace.time_us[first]; ++last) {
            const auto& target = rows[trace.samples[last].slot.value].target;
            if (!target.priority) {
                of_port[target.port.index].add(device.links[last].up, device.links[last].speed_bps);
            }
        }
        for (std::size_t i = first; i < last; ++i) {
            auto& sample = trace.samples[i];
            const auto& target = rows[sample.slot.value].target;
            auto& own = of_row[sample.slot.value];
            const auto& port = of_port[target.port.index];
            own.add(device.links[i].up, device.links[i].speed_bps);
            const bool up = own.up().value_or(port.up().value_or(true));
            auto& stamp = stamps[sample.slot.value];
            stamp.add(trace.time_us[i], whole_us(sample.read_at), sample.known != 0);
            sample.epoch = up ? 1 + own.changes() + port.changes() + stamp.breaks() : 0;
        }
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto own_bps = of_row[r].first_speed_bps();
        rows[r].speed.bps = own_bps != 0 ? own_bps : of_port[rows[r].target.port.index].first_speed_bps();
    }
}

void add_cells(const Cells& cells, const Line& line, TraceBuilder& builder, ComplaintList& complaints)
{
    const auto row = read_cells(cells, line, complaints);
    if (!row) {
        return;
    }
    if (auto misfit = builder.add(*row)) {
        const auto& cell = cells[index(misfit->column)];
        complaints.add(line.place(cell.at), cell.text, std::move(misfit->allowed));
    }
}

}  // namespace petrel::codec

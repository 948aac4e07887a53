#include "lab/trace_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/csv_cell.hpp"

namespace petrel::lab {

namespace {

constexpr auto kHeader = "time_us,device,port,queue,link_up,speed_bps,paused_now,pause_us,rx_xoff,rx_xon,on2off,"
                         "tx_packets,tx_bytes,tx_drops,rx_packets,rx_drops,occupancy_bytes\n";

}  // namespace

TraceRecorder::TraceRecorder(twin::Twin& twin, twin::Ps every) : twin_(twin), every_(every)
{
    const auto& nodes = twin.setup().topology.nodes;
    for (std::uint32_t id = 0; id < nodes.size(); ++id) {
        if (twin.is_switch(twin::NodeId{id})) {
            switches_.push_back({twin::NodeId{id}, {}});
        }
    }
    for (auto& one : switches_) {
        twin.at(one.id, twin.now(), [this, &one](twin::Ps now) { look(one, now); });
    }
}

void TraceRecorder::look(Switch& one, twin::Ps now)
{
    one.looks.push_back(rows(one.id, now));
    twin_.at(one.id, now + every_, [this, &one](twin::Ps then) { look(one, then); });
}

std::string TraceRecorder::rows(twin::NodeId id, twin::Ps now) const
{
    const auto view = twin_.switch_view(id);
    const auto& node = twin_.setup().topology.nodes[id.value];
    std::string text;
    for (std::uint8_t port = 0; port < view.ports(); ++port) {
        for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
            if ((unsigned{view.lossless()} >> priority & 1U) == 0) {
                continue;
            }
            const auto queue = view.queue(port, view.profile().queue_of_priority[priority], now);
            const auto group = view.group(port, view.profile().group_of_priority[priority]);
            text += fmt::format("{},{},{},{},{:d},{},{:d},{},{},{},{},{},{},{},{},{},{}\n", now / twin::kUs,
                                csv_cell(node.name), csv_cell(node.ports[port].name), priority, view.link_up(port),
                                view.speed_bps(port), queue.paused, queue.paused_for / twin::kUs, queue.rx_xoff,
                                queue.rx_xon, queue.pauses_ended, queue.tx_packets, queue.tx_bytes, queue.tx_drops,
                                group.rx_packets, group.rx_drops, queue.bytes);
        }
    }
    return text;
}

// Rows are sorted by time, then by switch.
std::string TraceRecorder::csv() const
{
    std::string text = kHeader;
    std::size_t looks = 0;
    for (const auto& one : switches_) {
        looks = std::max(looks, one.looks.size());
    }
    for (std::size_t i = 0; i < looks; ++i) {
        for (const auto& one : switches_) {
            text += one.looks[i];
        }
    }
    return text;
}

}  // namespace petrel::lab

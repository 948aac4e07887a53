#include "libsai/stats.hpp"

#include <vector>

namespace petrel::libsai {

using sai::ObjectType;
using sai::StatId;
using sai::Status;
using Kind = Stat::Kind;
namespace status = sai::status;

namespace {

// ---- port

template <std::uint64_t twin::QueueReading::* field>
std::uint64_t of_all_queues(const Place& p, std::uint8_t)
{
    std::uint64_t sum = 0;
    for (std::uint8_t q = 0; q != kPriorities; ++q) {
        sum += p.view().queue(p.at.port(), q, p.now).*field;
    }
    return sum;
}

template <std::uint64_t twin::GroupReading::* field>
std::uint64_t of_all_groups(const Place& p, std::uint8_t)
{
    std::uint64_t sum = 0;
    for (std::uint8_t g = 0; g != kPriorities; ++g) {
        sum += p.view().group(p.at.port(), g).*field;
    }
    return sum;
}

twin::QueueReading of_priority(const Place& p, std::uint8_t priority)
{
    return p.view().queue(p.at.port(), p.view().profile().queue_of_priority[priority], p.now);
}

std::uint64_t pfc_received(const Place& p, std::uint8_t priority)
{
    const auto queue = of_priority(p, priority);
    return queue.rx_xoff + queue.rx_xon;
}

std::uint64_t paused_us(const Place& p, std::uint8_t priority)
{
    return of_priority(p, priority).paused_for / twin::kUs;
}

template <std::uint64_t twin::QueueReading::* field>
std::uint64_t queue_field_of(const Place& p, std::uint8_t priority)
{
    return of_priority(p, priority).*field;
}

std::vector<Stat> make_port_stats()
{
    namespace id = sai::port_stat;
    using twin::GroupReading;
    using twin::QueueReading;
    std::vector<Stat> stats{
        {Kind::counter, id::if_in_ucast_pkts, of_all_groups<&GroupReading::rx_packets>},
        {Kind::counter, id::if_in_discards, of_all_groups<&GroupReading::rx_drops>},
        {Kind::counter, id::if_out_octets, of_all_queues<&QueueReading::tx_bytes>},
        {Kind::counter, id::if_out_ucast_pkts, of_all_queues<&QueueReading::tx_packets>},
        {Kind::counter, id::if_out_discards, of_all_queues<&QueueReading::tx_drops>},
        {Kind::counter, id::in_dropped_pkts, of_all_groups<&GroupReading::rx_drops>},
        {Kind::counter, id::out_dropped_pkts, of_all_queues<&QueueReading::tx_drops>},
    };
    for (std::uint8_t n = 0; n != kPriorities; ++n) {
        stats.push_back({Kind::counter, id::pfc_rx_pkts(n), pfc_received, n});
        stats.push_back({Kind::counter, id::pfc_tx_pkts(n), queue_field_of<&QueueReading::pause_sent>, n});
        stats.push_back({Kind::counter, id::pfc_rx_pause_duration_us(n), paused_us, n});
        stats.push_back({Kind::counter, id::pfc_on2off_rx_pkts(n), queue_field_of<&QueueReading::pauses_ended>, n});
    }
    return stats;
}

// ---- queue

template <auto twin::QueueReading::* field>
std::uint64_t of_queue(const Place& p, std::uint8_t)
{
    return p.view().queue(p.at.port(), p.at.index(), p.now).*field;
}

constexpr Stat kQueueStats[] = {
    {Kind::counter, sai::queue_stat::packets, of_queue<&twin::QueueReading::tx_packets>},
    {Kind::counter, sai::queue_stat::bytes, of_queue<&twin::QueueReading::tx_bytes>},
    {Kind::counter, sai::queue_stat::dropped_packets, of_queue<&twin::QueueReading::tx_drops>},
    {Kind::level, sai::queue_stat::curr_occupancy_bytes, of_queue<&twin::QueueReading::bytes>},
    {Kind::peak, sai::queue_stat::watermark_bytes, of_queue<&twin::QueueReading::peak_bytes>},
    {Kind::counter, sai::queue_stat::wred_ecn_marked_packets, of_queue<&twin::QueueReading::marked>},
};

// ---- priority group and pool

template <auto twin::GroupReading::* field>
std::uint64_t of_group(const Place& p, std::uint8_t)
{
    return p.view().group(p.at.port(), p.at.index()).*field;
}

constexpr Stat kGroupStats[] = {
    {Kind::counter, sai::group_stat::packets, of_group<&twin::GroupReading::rx_packets>},
    {Kind::level, sai::group_stat::curr_occupancy_bytes, of_group<&twin::GroupReading::bytes>},
    {Kind::peak, sai::group_stat::watermark_bytes, of_group<&twin::GroupReading::peak_bytes>},
    {Kind::level, sai::group_stat::shared_curr_occupancy_bytes, of_group<&twin::GroupReading::shared_bytes>},
    {Kind::level, sai::group_stat::xoff_room_curr_occupancy_bytes, of_group<&twin::GroupReading::headroom_bytes>},
    {Kind::peak, sai::group_stat::xoff_room_watermark_bytes, of_group<&twin::GroupReading::peak_headroom_bytes>},
    {Kind::counter, sai::group_stat::dropped_packets, of_group<&twin::GroupReading::rx_drops>},
};

std::uint8_t slot(const Place& p) { return p.device.pools.at(p.at.number).slot; }
std::uint64_t pool_used(const Place& p, std::uint8_t) { return p.view().pool_used(slot(p)); }
std::uint64_t pool_peak(const Place& p, std::uint8_t) { return p.view().pool_peak(slot(p)); }
std::uint64_t headroom_used(const Place& p, std::uint8_t) { return p.view().headroom_used(); }
std::uint64_t headroom_peak(const Place& p, std::uint8_t) { return p.view().headroom_peak(); }

constexpr Stat kPoolStats[] = {
    {Kind::level, sai::pool_stat::curr_occupancy_bytes, pool_used},
    {Kind::peak, sai::pool_stat::watermark_bytes, pool_peak},
    {Kind::level, sai::pool_stat::xoff_room_curr_occupancy_bytes, headroom_used},
    {Kind::peak, sai::pool_stat::xoff_room_watermark_bytes, headroom_peak},
};

void forget_peaks(const Place& p)
{
    switch (p.at.type) {
    case ObjectType::queue: return p.view().forget_queue_peak(p.at.port(), p.at.index());
    case ObjectType::ingress_priority_group: return p.view().forget_group_peaks(p.at.port(), p.at.index());
    case ObjectType::buffer_pool: return p.view().forget_pool_peaks(slot(p));
    default: return;
    }
}

void clear(const Place& p, const Stat& stat)
{
    if (stat.kind == Kind::counter) {
        p.device.cleared[{to_id(p.at), stat.id}] = stat.read(p, stat.priority);
    } else if (stat.kind == Kind::peak) {
        forget_peaks(p);
    }
}

std::uint64_t value_of(const Place& p, const Stat& stat)
{
    const auto& cleared = p.device.cleared;
    const auto before = cleared.find({to_id(p.at), stat.id});
    return stat.read(p, stat.priority) - (before == cleared.end() ? 0 : before->second);
}

const Stat* find(const Place& p, StatId id)
{
    const auto stats = stats_of(p.at.type);
    const auto found = std::find_if(stats.begin(), stats.end(), [&](const Stat& stat) { return stat.id == id; });
    return found == stats.end() ? nullptr : &*found;
}

// Whether all ids exist: a call returns all counters or none.
bool has_all(const Place& p, std::span<const StatId> ids)
{
    return std::all_of(ids.begin(), ids.end(), [&](StatId id) { return find(p, id) != nullptr; });
}

}  // namespace

std::span<const Stat> stats_of(ObjectType type)
{
    static const auto port_stats = make_port_stats();
    switch (type) {
    case ObjectType::port: return port_stats;
    case ObjectType::queue: return kQueueStats;
    case ObjectType::ingress_priority_group: return kGroupStats;
    case ObjectType::buffer_pool: return kPoolStats;
    default: return {};
    }
}

Status get_stats(const Place& p, std::span<const StatId> ids, std::uint64_t* values)
{
    if (!has_all(p, ids)) {
        return status::not_supported;
    }
    for (const auto id : ids) {
        *values++ = value_of(p, *find(p, id));
    }
    return status::success;
}

Status clear_stats(const Place& p, std::span<const StatId> ids)
{
    if (!has_all(p, ids)) {
        return status::not_supported;
    }
    for (const auto id : ids) {
        clear(p, *find(p, id));
    }
    return status::success;
}

Status clear_all_stats(const Place& p)
{
    for (const auto& stat : stats_of(p.at.type)) {
        clear(p, stat);
    }
    return status::success;
}

}  // namespace petrel::libsai

#include "sonic_tools/queue_stats.hpp"

#include <algorithm>

namespace petrel::sonic_tools {

const std::array<StatColumn, 5>& stat_columns()
{
    static const std::array<StatColumn, 5> columns{
        {{"STORM DETECTED/RESTORED",
          {"detected", "restored"},
          {"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED"}},
         {"TX OK/DROP",
          {"tx_ok", "tx_drop"},
          {"PFC_WD_QUEUE_STATS_TX_PACKETS", "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS"}},
         {"RX OK/DROP",
          {"rx_ok", "rx_drop"},
          {"PFC_WD_QUEUE_STATS_RX_PACKETS", "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS"}},
         {"TX LAST OK/DROP",
          {"tx_ok_last", "tx_drop_last"},
          {"PFC_WD_QUEUE_STATS_TX_PACKETS_LAST", "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS_LAST"}},
         {"RX LAST OK/DROP",
          {"rx_ok_last", "rx_drop_last"},
          {"PFC_WD_QUEUE_STATS_RX_PACKETS_LAST", "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS_LAST"}}}};
    return columns;
}

bool Queue::without_any() const
{
    return std::all_of(stat_columns().begin(), stat_columns().end(), [this](const StatColumn& column) {
        return count(column.fields[0]) == "0" && count(column.fields[1]) == "0";
    });
}

std::vector<Queue> read_queues(Tables& tables, const std::vector<std::string>& wanted, Display shown)
{
    const auto ids = tables.hash(Db::counters, "COUNTERS_QUEUE_NAME_MAP");
    std::vector<std::string> known;
    for (const auto& [name, id] : ids) {
        known.push_back(name);
    }
    need_known(wanted, known);
    std::vector<Queue> queues;
    std::vector<std::string> keys;
    for (const auto& name : means_all(wanted) ? only_shown(tables, std::move(known), shown) : wanted) {
        keys.push_back("COUNTERS:" + ids.at(name));
        queues.push_back({name, keys.back(), {}});
    }
    auto counters = tables.hashes(Db::counters, keys);
    for (std::size_t i = 0; i != queues.size(); ++i) {
        queues[i].counters = std::move(counters[i]);
    }
    return queues;
}

}  // namespace petrel::sonic_tools

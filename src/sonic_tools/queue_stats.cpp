#include "sonic_tools/queue_stats.hpp"

#include <algorithm>
#include <iterator>

#include "sonic_tools/natural_order.hpp"

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

namespace {

void need_known_queues(const std::vector<std::string>& wanted, const std::vector<std::string>& known)
{
    auto names = known;
    std::transform(known.begin(), known.end(), std::back_inserter(names), port_of);
    need_known(wanted, names);
}

std::vector<std::string> named(const std::vector<std::string>& wanted, std::vector<std::string> known)
{
    std::sort(known.begin(), known.end(), naturally_before);
    std::vector<std::string> queues;
    for (const auto& name : wanted) {
        std::copy_if(known.begin(), known.end(), std::back_inserter(queues),
                     [&](const std::string& queue) { return means(name, queue); });
    }
    return queues;
}

}  // namespace

namespace {

std::vector<std::string> names_in(const Hash& ids)
{
    std::vector<std::string> names;
    for (const auto& [name, id] : ids) {
        names.push_back(name);
    }
    return names;
}

std::vector<Queue> read_queues(Tables& tables, const std::vector<std::string>& wanted, const Hash& ids, Display shown)
{
    std::vector<Queue> queues;
    std::vector<std::string> keys;
    for (const auto& name :
         means_all(wanted) ? only_shown(tables, names_in(ids), shown) : named(wanted, names_in(ids))) {
        keys.push_back("COUNTERS:" + ids.at(name));
        queues.push_back({name, keys.back(), {}});
    }
    auto counters = tables.hashes(Db::counters, keys);
    for (std::size_t i = 0; i != queues.size(); ++i) {
        queues[i].counters = std::move(counters[i]);
    }
    return queues;
}

}  // namespace

std::vector<OfAsic<Queue>> read_queues(Desk& desk, const std::vector<std::string>& wanted, Display shown)
{
    std::vector<std::pair<Tables*, Hash>> maps;
    std::vector<std::string> known;
    for (auto* tables : shown_asics(desk, means_all(wanted) ? shown : Display::all)) {
        maps.emplace_back(tables, tables->hash(Db::counters, "COUNTERS_QUEUE_NAME_MAP"));
        const auto names = names_in(maps.back().second);
        known.insert(known.end(), names.begin(), names.end());
    }
    need_known_queues(wanted, known);
    std::vector<OfAsic<Queue>> queues;
    for (const auto& [tables, ids] : maps) {
        queues.push_back({tables, read_queues(*tables, wanted, ids, shown)});
    }
    return queues;
}

}  // namespace petrel::sonic_tools

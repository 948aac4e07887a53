#include "device/sonic/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "device/sonic/reader.hpp"
#include "sonic/config.hpp"

namespace petrel::device::sonic {

namespace {

std::string_view find(const db::Hash& map, const std::string& name)
{
    const auto at = map.find(name);
    return at != map.end() ? std::string_view{at->second} : std::string_view{};
}

std::string queue_name(const db::PortConfig& port, std::uint8_t priority)
{
    return fmt::format("{}:{}", port.name, priority);
}

// Sorts Ethernet4 before Ethernet12. Neighbouring ports often have the same policy, which then covers a long run of
// rows.
void sort_by_number(std::vector<db::PortConfig>& ports)
{
    std::ranges::sort(ports, [](const db::PortConfig& a, const db::PortConfig& b) {
        return std::tuple{a.name.size(), std::string_view{a.name}} <
               std::tuple{b.name.size(), std::string_view{b.name}};
    });
}

bool is_wanted(const db::PortConfig& port, std::uint8_t priority)
{
    return ((unsigned{port.lossless} | unsigned{port.watched}) >> priority & 1U) != 0;
}

// Of the queues that are not configured (any more): the objects of those that orchagent has registered or mitigated.
Result<std::set<std::string, std::less<>>> read_followed(db::RedisStore& store,
                                                         const std::vector<db::PortConfig>& ports, const db::Hash& oids)
{
    redis::Pipeline get;
    std::vector<std::string_view> requested;
    for (const auto& port : ports) {
        for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
            const auto oid = find(oids, queue_name(port, priority));
            if (!is_wanted(port, priority) && !oid.empty()) {
                get.add({"HMGET", fmt::format("COUNTERS:{}", oid), "PFC_WD_STATUS", "PFC_WD_DETECTION_TIME"});
                requested.push_back(oid);
            }
        }
    }
    std::set<std::string, std::less<>> followed;
    return run(store, db::Db::counters, get,
               [&](std::size_t command, redis::View reply) {
                   if (reply.size() == 2 && (status_of(reply[0].text()) == Status::stormed || !reply[1].nothing())) {
                       followed.emplace(requested[command]);
                   }
               })
        .map([&] { return followed; });
}

std::string_view port_of(std::string_view queue) { return queue.substr(0, queue.rfind(':')); }

// Queues that orchagent has registered on ports that CONFIG_DB does not have.
Result<std::vector<std::string>> read_foreign_queues(db::RedisStore& store, const std::vector<db::PortConfig>& ports,
                                                     const db::Hash& oids)
{
    std::set<std::string_view> known;
    for (const auto& port : ports) {
        known.insert(port.name);
    }
    redis::Pipeline get;
    std::vector<std::string> requested;
    for (const auto& [queue, oid] : oids) {
        if (!known.contains(port_of(queue))) {
            get.add({"HGET", fmt::format("COUNTERS:{}", oid), "PFC_WD_DETECTION_TIME"});
            requested.push_back(queue);
        }
    }
    std::vector<std::string> foreign_queues;
    return run(store, db::Db::counters, get,
               [&](std::size_t command, redis::View reply) {
                   if (!reply.nothing() && !reply.error()) {
                       foreign_queues.push_back(requested[command]);
                   }
               })
        .map([&] { return foreign_queues; });
}

// Objects of syncd's counter group of which COUNTERS_DB has neither a name nor a hash: orchagent writes the hash of a
// queue before it adds the queue to the group.
Result<std::vector<std::string>> read_foreign_objects(db::RedisStore& store, const std::vector<db::Hash>& maps)
{
    constexpr std::string_view kRegistered = "FLEX_COUNTER_TABLE:PFC_WD:";
    const auto keys = store.keys(db::Db::flex_counter, kRegistered);
    if (!keys) {
        return tl::unexpected(keys.error());
    }
    std::set<std::string_view> named;
    for (const auto& map : maps) {
        for (const auto& [name, oid] : map) {
            named.insert(oid);
        }
    }
    redis::Pipeline exist;
    std::vector<std::string_view> requested;
    for (const auto& key : *keys) {
        const auto oid = std::string_view{key}.substr(kRegistered.size());
        if (!named.contains(oid)) {
            exist.add({"EXISTS", fmt::format("COUNTERS:{}", oid)});
            requested.push_back(oid);
        }
    }
    std::vector<std::string> foreign;
    return run(store, db::Db::counters, exist,
               [&](std::size_t command, redis::View reply) {
                   if (reply.number() == 0) {
                       foreign.emplace_back(requested[command]);
                   }
               })
        .map([&] { return foreign; });
}

}  // namespace

Result<FoundLayout> read_layout(db::RedisStore& store)
{
    auto config = db::read_config(store, db::Role::detector);
    if (!config) {
        return tl::unexpected(std::move(config.error()));
    }
    const std::array<std::string, 2> names{"COUNTERS_QUEUE_NAME_MAP", "COUNTERS_PORT_NAME_MAP"};
    const auto maps = store.hashes(db::Db::counters, names);
    if (!maps) {
        return tl::unexpected(maps.error());
    }
    const auto followed = read_followed(store, config->ports, (*maps)[0]);
    if (!followed) {
        return tl::unexpected(followed.error());
    }
    auto foreign_queues = read_foreign_queues(store, config->ports, (*maps)[0]);
    if (!foreign_queues) {
        return tl::unexpected(std::move(foreign_queues.error()));
    }
    auto foreign_objects = read_foreign_objects(store, *maps);
    if (!foreign_objects) {
        return tl::unexpected(std::move(foreign_objects.error()));
    }
    sort_by_number(config->ports);
    FoundLayout found;
    found.facts.foreign_objects = std::move(*foreign_objects);
    found.facts.foreign_queues = std::move(*foreign_queues);
    auto& layout = found.layout;
    for (const auto& port : config->ports) {
        const bool has_entry = config->tables.contains("PFC_WD|" + port.name);
        PortPlace place{port.name, std::string{find((*maps)[1], port.name)}, port.speed,
                        static_cast<std::uint32_t>(layout.queues.size()), 0};
        const auto index = static_cast<std::uint16_t>(layout.ports.size());
        for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
            const auto oid = find((*maps)[0], queue_name(port, priority));
            const bool configured = has_entry && (unsigned{port.watched} >> priority & 1U) != 0;
            if (oid.empty() && is_wanted(port, priority)) {
                found.facts.filling = true;
                if (configured) {
                    found.facts.missing.push_back(queue_name(port, priority));
                }
            }
            if (!oid.empty() && (is_wanted(port, priority) || followed->contains(oid))) {
                layout.queues.push_back({index, Priority{priority}, std::string{oid}});
                found.facts.configured.push_back(configured);
                ++place.count;
            }
        }
        if (place.count != 0) {
            layout.ports.push_back(std::move(place));
        }
        if (layout.ports.size() == std::numeric_limits<std::uint16_t>::max()) {
            break;
        }
    }
    return found;
}

}  // namespace petrel::device::sonic

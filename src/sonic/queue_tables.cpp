#include "sonic/queue_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <utility>
#include <vector>

#include "control/names.hpp"
#include "sonic/batch.hpp"

namespace petrel::sonic {

namespace {

using control::QueueReport;
using watchdog::Phase;

constexpr std::string_view kInStorm = "PFC_WD_TABLE_INSTORM";
const std::string kMarkField = "run";
const std::string kRedSwitch = "BIG_RED_SWITCH_MODE";

// One mark in each database that is written, since databases may be flushed one by one.
const std::map<Db, std::string>& marks()
{
    static const std::map<Db, std::string> kKeys{
        {Db::appl, "PETREL_PFC_WD:agent"}, {Db::counters, "PETREL_PFC_WD:agent"}, {Db::state, kAgentMark}};
    return kKeys;
}

// A new mark for each run, even if the process id is the same.
std::string new_mark()
{
    std::random_device chance;
    return fmt::format("{:08x}{:08x}", chance(), chance());
}

std::string name_of(std::string_view port, std::uint8_t priority) { return fmt::format("{}:{}", port, priority); }

bool watched(const QueueReport& queue) { return !queue.policy.empty(); }

Hash statistics(const QueueReport& queue)
{
    const std::array<std::pair<const char*, std::uint64_t>, 10> values{
        {{"DEADLOCK_DETECTED", queue.detected + queue.red_switched},  // orchagent counts the big red switch, too
         {"DEADLOCK_RESTORED", queue.restored + queue.red_released},
         {"TX_PACKETS", queue.tx_ok},
         {"TX_DROPPED_PACKETS", queue.tx_drop},
         {"RX_PACKETS", queue.rx_ok},
         {"RX_DROPPED_PACKETS", queue.rx_drop},
         {"TX_PACKETS_LAST", queue.tx_ok_last},
         {"TX_DROPPED_PACKETS_LAST", queue.tx_drop_last},
         {"RX_PACKETS_LAST", queue.rx_ok_last},
         {"RX_DROPPED_PACKETS_LAST", queue.rx_drop_last}}};
    Hash fields;
    for (const auto& [name, value] : values) {
        fields.emplace(fmt::format("PFC_WD_QUEUE_STATS_{}", name), fmt::format("{}", value));
    }
    return fields;
}

const Hash& of_watched_queues()
{
    static const Hash kFields{{"PFC_WD_DETECTION_TIME", ""},
                              {"PFC_WD_RESTORATION_TIME", ""},
                              {"PFC_WD_ACTION", ""},
                              {"PFC_STAT_HISTORY", ""},
                              {"PFC_WD_STATUS", ""}};
    return kFields;
}

// In SONiC's format: the type in the upper bytes, a number below. The number of a queue is derived from its port's.
std::string made_up_port(std::size_t number) { return fmt::format("oid:{:#x}", 0x1000000000000ULL + number); }

std::string made_up_queue(std::string_view port, std::uint8_t priority)
{
    std::uint64_t id = 0;
    const auto digits = port.substr(std::min(port.size(), std::string_view{"oid:0x"}.size()));
    std::from_chars(digits.data(), digits.data() + digits.size(), id, 16);
    return fmt::format("oid:{:#x}", 0x15000000000000ULL + (id & 0xffff'ffffU) * 8 + priority);
}

}  // namespace

bool in_storm(const QueueReport& queue)
{
    return queue.phase && *queue.phase != Phase::off && *queue.phase != Phase::watching;
}

void QueueTables::configure(const Config& config)
{
    settings_.clear();
    red_switch_ = config.big_red_switch;
    for (const auto& entry : config.policies.policies) {
        const auto us = [](Duration time) { return fmt::format("{}", whole_us(time)); };
        const bool restores = entry.policy.release != watchdog::Release::manual;
        for (const auto& port : entry.ports) {
            settings_[port.name] = {us(entry.policy.detect), restores ? us(entry.policy.restore) : "", "disable"};
        }
    }
    for (const auto& port : config.ports) {
        if (port.history) {
            settings_[port.name].history = "enable";
        }
    }
    mark_all();
}

void QueueTables::update(const QueueReport& queue)
{
    const auto name = name_of(queue.port, *queue.priority);
    auto [at, is_new] = rows_.try_emplace(name);
    at->second.queue = queue;
    at->second.gone = false;
    known_objects_ = known_objects_ && !is_new;
    unwritten_.insert(name);
}

void QueueTables::forget(std::string_view port, std::uint8_t priority)
{
    const auto at = rows_.find(name_of(port, priority));
    if (at == rows_.end()) {
        return;
    }
    if (at->second.object.queue.empty()) {  // it was never written
        unwritten_.erase(at->first);
        rows_.erase(at);
        return;
    }
    unwritten_.insert(at->first);
    at->second.gone = true;
    at->second.queue.policy.clear();
    at->second.queue.phase = Phase::off;
}

void QueueTables::mark_all()
{
    for (const auto& [name, row] : rows_) {
        unwritten_.insert(name);
    }
}

// Uses the name maps of SONiC if they exist; otherwise creates them.
Result<void> QueueTables::learn_objects(Store& store)
{
    const std::array<std::string, 2> maps{"COUNTERS_PORT_NAME_MAP", "COUNTERS_QUEUE_NAME_MAP"};
    const auto known = store.hashes(Db::counters, maps);
    if (!known) {
        return tl::unexpected(known.error());
    }
    auto ports = known->at(0);
    const auto& queues = known->at(1);
    Hash new_ports, new_queues, indexes, owners;
    for (auto& [name, row] : rows_) {
        const auto& port_name = row.queue.port;
        if (!ports.contains(port_name)) {
            const auto number = ports.size() + 1;
            ports[port_name] = new_ports[port_name] = made_up_port(number);
        }
        row.object.port = ports[port_name];
        if (const auto at = queues.find(name); at != queues.end()) {
            row.object.queue = at->second;
            continue;
        }
        row.object.queue = new_queues[name] = made_up_queue(row.object.port, *row.queue.priority);
        indexes[row.object.queue] = fmt::format("{}", *row.queue.priority);
        owners[row.object.queue] = row.object.port;
    }
    const std::array<Change, 4> changes{Change{Change::Kind::set, maps[0], new_ports},
                                        Change{Change::Kind::set, maps[1], new_queues},
                                        Change{Change::Kind::set, "COUNTERS_QUEUE_INDEX_MAP", indexes},
                                        Change{Change::Kind::set, "COUNTERS_QUEUE_PORT_MAP", owners}};
    return store.apply(Db::counters, changes).map([&] {
        known_objects_ = true;
        ports_ = std::move(ports);
    });
}

// Whether all databases still contain our marks.
Result<bool> QueueTables::left_alone(Store& store)
{
    for (const auto& [db, key] : marks()) {
        const std::array keys{key};
        const auto found = store.hashes(db, keys);
        if (!found) {
            return tl::unexpected(found.error());
        }
        const auto at = found->front().find(kMarkField);
        if (at == found->front().end() || at->second != mark_) {
            return false;
        }
    }
    return true;
}

Result<void> QueueTables::write(Store& store)
{
    if (mark_.empty()) {
        mark_ = new_mark();
    }
    const auto same = left_alone(store);
    if (!same) {
        return tl::unexpected(same.error());
    }
    Batch batch{store};
    using Kind = Change::Kind;
    if (!*same) {
        ++beginnings_;
        known_objects_ = false;
        mark_all();
        // The marks are written first: a database that is flushed later loses its mark, too.
        for (const auto& [db, key] : marks()) {
            batch.add(db, {Kind::set, key, {{kMarkField, mark_}}});
        }
        if (auto marked = batch.end(); !marked) {
            return marked;
        }
    }
    if (unwritten_.empty()) {
        return {};
    }
    if (!known_objects_) {
        if (const auto learned = learn_objects(store); !learned) {
            return learned;
        }
    }
    for (const auto& name : unwritten_) {
        const auto& row = rows_.at(name);
        const auto& queue = row.queue;
        const auto counters = fmt::format("COUNTERS:{}", row.object.queue);
        auto fields = statistics(queue);
        if (watched(queue)) {
            const auto& settings = settings_[queue.port];  // may be empty while another configuration is applied
            fields["PFC_WD_DETECTION_TIME"] = settings.detection_us;
            fields["PFC_WD_RESTORATION_TIME"] = settings.restoration_us;
            fields["PFC_STAT_HISTORY"] = settings.history;
            fields["PFC_WD_ACTION"] = control::action_name(queue.configured);
            fields["PFC_WD_STATUS"] = in_storm(queue) ? "stormed" : "operational";
        } else {
            batch.add(Db::counters, {Kind::remove, counters, of_watched_queues()});
        }
        const bool red = red_switch_ && watched(queue);
        batch.add(Db::counters, {red ? Kind::set : Kind::remove, counters, {{kRedSwitch, "enable"}}});
        batch.add(Db::counters, {Kind::set, counters, std::move(fields)});
        batch.add(Db::appl, {in_storm(queue) && !red ? Kind::set : Kind::remove,
                             fmt::format("{}:{}", kInStorm, queue.port),
                             {{fmt::format("{}", *queue.priority), "storm"}}});
        batch.add(Db::state, {watched(queue) ? Kind::set : Kind::replace, fmt::format("PFC_WD_SW_STATE_TABLE|{}", name),
                              watched(queue) ? Hash{{"status", "configured"}} : Hash{}});
    }
    return batch.end().map([&] {
        unwritten_.clear();
        std::erase_if(rows_, [](const auto& row) { return row.second.gone; });
    });
}

Result<void> QueueTables::retire(Store& store)
{
    Batch batch{store};
    for (const auto& [name, row] : rows_) {
        if (!row.object.queue.empty()) {
            auto fields = in_storm(row.queue) ? Hash{} : of_watched_queues();
            fields.emplace(kRedSwitch, "");
            batch.add(Db::counters,
                      {Change::Kind::remove, fmt::format("COUNTERS:{}", row.object.queue), std::move(fields)});
        }
        batch.add(Db::state, {Change::Kind::replace, fmt::format("PFC_WD_SW_STATE_TABLE|{}", name), Hash{}});
    }
    for (const auto& [db, key] : marks()) {
        batch.add(db, {Change::Kind::replace, key, {}});
    }
    return batch.end();
}

void QueueTables::each(const std::function<void(const QueueReport&, const QueueObject&)>& visit) const
{
    for (const auto& [name, row] : rows_) {
        if (!row.object.queue.empty()) {
            visit(row.queue, row.object);
        }
    }
}

const QueueObject* QueueTables::object(std::string_view port, std::uint8_t priority) const
{
    const auto at = rows_.find(name_of(port, priority));
    return at != rows_.end() && !at->second.object.queue.empty() ? &at->second.object : nullptr;
}

const std::string* QueueTables::port_object(const std::string& port) const
{
    const auto at = ports_.find(port);
    return at != ports_.end() ? &at->second : nullptr;
}

}  // namespace petrel::sonic

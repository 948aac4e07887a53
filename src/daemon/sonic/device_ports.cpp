#include "daemon/sonic/device_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/ids.hpp"
#include "sonic/config.hpp"
#include "sonic/server_ports.hpp"

namespace petrel::daemon {

namespace {

using sonic::Change;
using sonic::Db;
using sonic::Hash;

constexpr std::string_view kQosMaps = "PORT_QOS_MAP|";
const std::string kLossless = "pfc_enable";
const std::string kWatched = "pfcwd_sw_enable";
// In PORT: the priorities that have been lossless on the device so far.
const std::string kLosslessOnDevice = "petrel_lossless";

bool includes(std::uint8_t bits, unsigned priority) { return (unsigned{bits} >> priority & 1U) != 0; }

std::string list_text(std::uint8_t bits)
{
    std::vector<unsigned> priorities;
    for (unsigned priority = 0; priority != kPriorities; ++priority) {
        if (includes(bits, priority)) {
            priorities.push_back(priority);
        }
    }
    return fmt::format("{}", fmt::join(priorities, ","));
}

std::uint8_t bits_of(const Hash& entry, const std::string& field)
{
    const auto at = entry.find(field);
    return at == entry.end() ? std::uint8_t{0} : sonic::priority_bits(at->second).value_or(0);
}

std::uint8_t both(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | b); }

}  // namespace

Result<void> DevicePorts::update(sonic::Store& store, std::span<const control::QueueReport> queues)
{
    std::map<std::string, std::uint8_t> lossless;
    for (const auto& queue : queues) {
        queues_[queue.port].insert(*queue.priority);
        auto& bits = lossless[queue.port];
        bits = both(bits, static_cast<std::uint8_t>((queue.lossless ? 1U : 0U) << *queue.priority));
        const bool changed = queue.host_facing ? servers_.insert(queue.port).second : servers_.erase(queue.port) != 0;
        servers_written_ = servers_written_ && !changed;
    }
    std::vector<Change> all;
    for (const auto& [port, bits] : lossless) {
        lossless_.insert_or_assign(port, bits);
        auto of_port = changes(store, port, bits);
        if (!of_port) {
            return tl::unexpected(std::move(of_port.error()));
        }
        std::ranges::move(*of_port, std::back_inserter(all));
    }
    const auto written = all.empty() ? Result<void>{} : store.apply(Db::config, all);
    const auto listed = write_servers(store);
    return written ? listed : written;
}

Result<std::vector<Change>> DevicePorts::changes(sonic::Store& store, const std::string& port,
                                                 std::uint8_t lossless) const
{
    const std::vector keys{fmt::format("PORT|{}", port), fmt::format("{}{}", kQosMaps, port)};
    return store.hashes(Db::config, keys).map([&](const std::vector<Hash>& found) {
        std::vector<Change> changes;
        const auto before = bits_of(found[0], kLosslessOnDevice);
        if (!found[0].contains(kLosslessOnDevice) || (lossless & ~before) != 0) {
            changes.push_back({Change::Kind::set,
                               keys[0],
                               {{"alias", port}, {kLosslessOnDevice, list_text(both(before, lossless))}}});
        }
        // An entry without the field in PORT is an operator's, or that of an earlier version: it stays.
        const bool known = found[0].contains(kLosslessOnDevice) || found[1].empty();
        const auto added = static_cast<std::uint8_t>(known ? lossless & ~before : 0);
        if (found[1].empty() || added != 0) {
            changes.push_back({Change::Kind::set,
                               keys[1],
                               {{kLossless, list_text(both(bits_of(found[1], kLossless), added))},
                                {kWatched, list_text(both(bits_of(found[1], kWatched), added))}}});
        }
        return changes;
    });
}

Result<void> DevicePorts::write_servers(sonic::Store& store)
{
    if (servers_written_) {
        return {};
    }
    Change change{Change::Kind::replace, sonic::kServerPortsKey, {}};
    for (const auto& port : servers_) {
        change.fields.emplace(port, "host");
    }
    return store.apply(Db::state, {&change, 1}).map([&] { servers_written_ = true; });
}

Result<void> DevicePorts::check(sonic::Store& store, const Change& change) const
{
    const auto refused = [](std::string what) { return tl::unexpected(Error{ErrorKind::invalid, std::move(what)}); };
    if (change.fields.contains("pfc_asym")) {
        return refused("the agent does not change asymmetric PFC: configure it on the switch");
    }
    const auto port = std::string_view{change.key}.substr(std::min(change.key.size(), kQosMaps.size()));
    const auto has = change.key.starts_with(kQosMaps) ? queues_.find(port) : queues_.end();
    const auto list = change.fields.find(kLossless);
    if (has == queues_.end() || list == change.fields.end()) {
        return {};
    }
    const auto bits = sonic::priority_bits(list->second);
    for (unsigned priority = 0; bits && priority != kPriorities; ++priority) {
        if (includes(*bits, priority) && !has->second.contains(priority)) {
            return refused(fmt::format("{} has no lossless queue {}: its device has {}. Make it lossless there first",
                                       port, priority, fmt::join(has->second, ", ")));
        }
    }
    return store.hashes(Db::config, {&change.key, 1}).and_then([&](const std::vector<Hash>& now) -> Result<void> {
        const auto before = bits_of(now.front(), kLossless);
        const auto on_device = lossless_.find(port)->second;
        for (unsigned priority = 0; bits && priority != kPriorities; ++priority) {
            const bool on = includes(*bits, priority);
            if (on != includes(before, priority) && on != includes(on_device, priority)) {
                return refused(fmt::format("nothing was changed: PFC of priority {} is {} on {}, and the agent does "
                                           "not program it. Switch it {} "
                                           "on the switch first",
                                           priority, on ? "off" : "on", port, on ? "on" : "off"));
            }
        }
        return {};
    });
}

}  // namespace petrel::daemon

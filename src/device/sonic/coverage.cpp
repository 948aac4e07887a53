#include "device/sonic/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "device/sonic/held_pause.hpp"

namespace petrel::device::sonic {

namespace {

using watchdog::bit;
using watchdog::Field;
using watchdog::has;

constexpr watchdog::Fields kAboutPause =
    bit(Field::paused_now) | bit(Field::pause_us) | bit(Field::rx_pfc) | bit(Field::on2off);

std::string name_of(const Layout& layout, std::uint32_t row)
{
    const auto& queue = layout.queues[row];
    return fmt::format("{}:{}", layout.ports[queue.port].name, queue.priority.value);
}

bool has_counters(const Reading& reading) { return (reading.counters & kAboutPause) != 0; }

// A script skips queues without counters, and those that the big red switch treats. It finds the port of a queue
// without COUNTERS_PORT_NAME_MAP. For a port that this map does not name, the counters of the script are not known.
bool by_scripts(const Reading& reading, const PortPlace& port)
{
    return reading.registered && reading.status != Status::unwatched && !reading.red_switch &&
           (has_counters(reading) || port.oid.empty());
}

bool any_registered(const Reader& reader, const PortPlace& port)
{
    const auto rows = std::views::iota(port.first, port.first + port.count);
    return std::ranges::any_of(rows, [&](std::uint32_t row) { return reader[Slot{row}].registered; });
}

std::string why_unseen(const Reader& reader, std::uint32_t row, const Intent& intent)
{
    const auto& reading = reader[Slot{row}];
    const auto& place = reader.layout().ports[reader.layout().queues[row].port];
    const auto& port = place.name;
    if (!reading.registered && !intent.configured) {
        return fmt::format("PFC_WD has no entry for {0}, or its pfcwd_sw_enable lacks the priority: orchagent acts on "
                           "registered queues "
                           "only. `pfcwd start {0} ...` adds the entry",
                           port);
    }
    if (!reading.registered && any_registered(reader, place)) {
        return fmt::format(
            "its priority was added to pfcwd_sw_enable after PFC_WD|{0} was written: orchagent registers "
            "it at the next `pfcwd start` for {0}",
            port);
    }
    if (!reading.registered) {
        return fmt::format(
            "orchagent has not registered it: orchagent is starting, or does not accept PFC_WD|{} and logs the reason",
            port);
    }
    return "syncd writes no PFC counters for it";
}

}  // namespace

bool prove_pause(watchdog::Fields known, watchdog::Fields of_switch)
{
    return has(known, Field::pause_us) || (has(known, Field::paused_now) && has(known, Field::on2off)) ||
           (HeldPause::fits(of_switch) && HeldPause::fits(known));
}

Coverage coverage_of(const Reader& reader, std::span<const Intent> intents, const LayoutFacts& facts)
{
    Coverage coverage;
    const auto& layout = reader.layout();
    std::uint32_t others = 0;
    const auto report = [&](std::string gap) {
        if (coverage.gap.empty()) {
            coverage.gap = std::move(gap);
        } else {
            ++others;
        }
    };
    for (std::uint32_t row = 0; row != intents.size(); ++row) {
        const auto& reading = reader[Slot{row}];
        const auto& port = layout.ports[layout.queues[row].port];
        if (!by_scripts(reading, port)) {
            continue;
        }
        ++coverage.by_scripts;
        if (!intents[row].watched) {
            report(
                fmt::format("no policy of this agent covers {}, which orchagent has registered{}", name_of(layout, row),
                            intents[row].configured ? "" : "; orchagent follows pfcwd_sw_enable with `pfcwd start`"));
        } else if (!prove_pause(reading.counters, reader.fields())) {
            report(fmt::format("the counters of {} do not prove a pause{}", name_of(layout, row),
                               port.oid.empty() ? ": COUNTERS_PORT_NAME_MAP has no such port" : ""));
        }
    }
    for (const auto& foreign_queue : facts.foreign_queues) {
        report(fmt::format("orchagent has registered {}, and CONFIG_DB has no such port: the databases do not belong "
                           "to the same ASIC",
                           foreign_queue));
    }
    for (const auto& foreign_object : facts.foreign_objects) {
        report(fmt::format("syncd's counter group PFC_WD has {}, and COUNTERS_DB has no such object: the databases do "
                           "not belong to the same ASIC",
                           foreign_object));
    }
    coverage.gap += others != 0 ? fmt::format(" (and {} more)", others) : "";
    return coverage;
}

void Unseen::judge(const Reader& reader, std::span<const Intent> intents, const LayoutFacts& facts, Instant now,
                   Duration patience)
{
    queues_.clear();
    since_.resize(intents.size());
    for (std::uint32_t row = 0; row != intents.size(); ++row) {
        const auto& reading = reader[Slot{row}];
        if (!intents[row].watched || (reading.registered && has_counters(reading))) {
            since_[row].reset();
            continue;
        }
        since_[row] = since_[row].value_or(now);
        if (now - *since_[row] > patience) {
            queues_.push_back({name_of(reader.layout(), row), why_unseen(reader, row, intents[row])});
        }
    }
    for (const auto& queue : facts.missing) {
        queues_.push_back({queue, "orchagent has not created it: COUNTERS_QUEUE_NAME_MAP has no such queue"});
    }
}

}  // namespace petrel::device::sonic

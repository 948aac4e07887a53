#include "daemon/sonic/sonic_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/complaint_text.hpp"

namespace petrel::daemon {

namespace {

Log::Line sonic_line(std::string target, std::string message)
{
    return {Log::Level::notice, "pfcwd", {}, std::move(target), std::move(message), {}};
}
Log::Line sonic_line(std::string_view port, std::uint8_t priority, std::string message)
{
    return sonic_line(fmt::format("{}:{}", port, priority), std::move(message));
}

constexpr std::size_t kMostAlphas = 20;  // named in the log; the others are counted

Log::Line alpha_line(bool programmed, std::string message)
{
    if (programmed) {
        return {Log::Level::notice, "alpha_changed", {}, {}, std::move(message), {}};
    }
    message += "; no process programs it into the switch";
    return {Log::Level::warning, "alpha_not_programmed", {}, {}, std::move(message), {}};
}

// "oid:0x15000000000003" is "0x15000000000003" in the log.
std::string_view id_of(std::string_view object) { return object.substr(object.find(':') + 1); }

std::string where(std::string_view port, std::uint8_t priority, const sonic::QueueObject& object)
{
    return fmt::format("on port {}, queue index {}, queue id {} and port id {}", port, priority, id_of(object.queue),
                       id_of(object.port));
}

}  // namespace

sonic::StormInfo storm_info(const NosEvent& event)
{
    using watchdog::Field;
    const auto& look = event.last_look;
    const auto known = [&](Field field) { return has(look.known, field); };
    const auto moved = [&](Field field) -> std::uint64_t {
        return known(field) ? look.value.at(static_cast<std::size_t>(field)) : 0;
    };
    const auto counter = [](std::optional<std::uint64_t> now, bool compared, std::uint64_t by) {
        return sonic::StormInfo::Counter{now,
                                         now && compared ? std::optional{*now - std::min(by, *now)} : std::nullopt};
    };
    sonic::StormInfo info;
    if (known(Field::occupancy)) {
        info.occupancy = moved(Field::occupancy);  // a level, not a difference
    }
    info.packets = counter(event.counts.tx_packets, known(Field::tx_packets), moved(Field::tx_packets));
    info.pfc_rx_packets =
        counter(event.counts.rx_frames, known(Field::rx_pfc) || (known(Field::rx_xoff) && known(Field::rx_xon)),
                moved(Field::rx_pfc) + moved(Field::rx_xoff) + moved(Field::rx_xon));
    info.pfc_duration_us = counter(event.counts.pause_us, known(Field::pause_us), moved(Field::pause_us));
    if (look.dt_us != 0) {
        info.timestamp = event.at;
        info.timestamp_last = event.at - std::chrono::microseconds{look.dt_us};
        info.effective_poll_time = std::chrono::microseconds{look.dt_us};
    }
    info.paused = event.counts.paused;
    return info;
}

// Logs the queues that the big red switch covers: those that are configured to be watched while the switch is on.
void SonicLog::log_red_switch(const sonic::Config& config, const sonic::QueueTables& tables, Lines& lines)
{
    const bool was_on = std::exchange(red_switch_, config.big_red_switch);
    if (red_switch_) {
        red_queues_.clear();
        for (const auto& port : config.ports) {
            red_queues_.emplace(port.name, port.watched);
        }
    }
    if (was_on == red_switch_ || role_ != sonic::Role::owner || !configured_) {
        return;
    }
    tables.each([&](const control::QueueReport& queue, const sonic::QueueObject& object) {
        const auto port = red_queues_.find(queue.port);
        if (port != red_queues_.end() && (unsigned{port->second} >> *queue.priority & 1U) != 0) {
            lines.push_back(
                sonic_line(queue.port, *queue.priority,
                           fmt::format("PFC Watchdog BIG_RED_SWITCH mode {} {}.", red_switch_ ? "enabled" : "disabled",
                                       where(queue.port, *queue.priority, object))));
        }
    });
}

void SonicLog::configured(const sonic::Config& config, const sonic::QueueTables& tables, Lines& lines)
{
    for (const auto& problem : config.problems) {
        if (std::ranges::find(problems_, problem) == problems_.end()) {
            lines.push_back({Log::Level::error, "nos_entry_bad", {}, {}, problem, {}});
        }
    }
    problems_ = config.problems;
    const auto more = config.problem_count - config.problems.size();
    if (std::exchange(more_problems_, more) != more && more != 0) {
        lines.push_back({Log::Level::error,
                         "nos_entry_bad",
                         {},
                         {},
                         fmt::format("and {} more entries that are not in force", more),
                         {}});
    }
    if (std::exchange(idle_, config.idle) != idle_ && !idle_.empty()) {
        lines.push_back({Log::Level::warning, "nos_idle", {}, {}, idle_, {}});
    }
    log_alphas(config.alphas, lines);
    alphas_ = config.alphas;
    log_red_switch(config, tables, lines);
    configured_ = true;
    if (role_ == sonic::Role::owner && !config.big_red_switch && config.idle.empty()) {
        log_ports(config, lines);
    }
}

// Both lists are sorted by profile.
void SonicLog::log_alphas(const std::vector<sonic::Alpha>& alphas, Lines& lines) const
{
    const bool programmed = thresholds_ != Thresholds::by_no_process;
    std::size_t changed = 0;
    for (const auto& alpha : alphas) {
        const auto before = std::ranges::lower_bound(alphas_, alpha.profile, {}, &sonic::Alpha::profile);
        if (before == alphas_.end() || before->profile != alpha.profile || before->dynamic_th == alpha.dynamic_th) {
            continue;
        }
        if (changed++ < kMostAlphas) {
            lines.push_back(alpha_line(
                programmed,
                fmt::format("buffer profile {}: dynamic_th changed from {} to {}; the watched queues stay the same",
                            excerpt(alpha.profile), excerpt(before->dynamic_th), excerpt(alpha.dynamic_th))));
        }
    }
    if (changed > kMostAlphas) {
        lines.push_back(alpha_line(
            programmed, fmt::format("and {} more buffer profiles have another dynamic_th", changed - kMostAlphas)));
    }
}

// Logs a port whose policy changed as started again, as orchagent does.
void SonicLog::log_ports(const sonic::Config& config, Lines& lines)
{
    const auto before = std::exchange(ports_, {});
    for (const auto& entry : config.policies.policies) {
        for (const auto& port : entry.ports) {
            ports_.emplace(port.name, entry.policy.name);
        }
    }
    for (const auto& [port, policy] : ports_) {
        if (const auto at = before.find(port); at == before.end() || at->second != policy) {
            lines.push_back(sonic_line(port, fmt::format("Started PFC Watchdog on port {}", port)));
        }
    }
    for (const auto& [port, policy] : before) {
        if (!ports_.contains(port)) {
            lines.push_back(sonic_line(port, fmt::format("Stopped PFC Watchdog on port {}", port)));
        }
    }
}

void SonicLog::happened(const NosEvent& event, const sonic::QueueTables& tables, Lines& lines) const
{
    const auto* object = tables.object(event.port, event.priority);
    if (role_ == sonic::Role::detector || object == nullptr || (!storm_begins(event) && !storm_ends(event))) {
        return;
    }
    const auto place = where(event.port, event.priority, *object);
    const auto info = storm_begins(event) ? sonic::info_text(storm_info(event)) : std::string{};
    lines.push_back(
        sonic_line(event.port, event.priority,
                   fmt::format("PFC Watchdog {} {}{}.", storm_begins(event) ? "detected PFC storm" : "storm restored",
                               place, info.empty() ? "" : fmt::format(", additional info: {}", info))));
}

}  // namespace petrel::daemon

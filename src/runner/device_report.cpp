// Reports of a device and its queues, for the control socket and for metrics.
#include <fmt/format.h>

#include <algorithm>

#include "runner/device_runner.hpp"
#include "words/words.hpp"

namespace petrel::runner {

control::DeviceReport DeviceRunner::report() const
{
    control::DeviceReport report;
    report.name = name();
    report.driver = setup_.driver;
    health_.fill(report);
    report.last_look_us = whole_us(last_look_);
    report.longest_look_us = whole_us(longest_look_);
    report.commands = commands_done_;
    report.commands_failed = commands_failed_;
    report.inventory_changes = inventory_changes_;
    if (opened_) {
        const auto& rows = opened_->inventory.rows;
        report.ports = static_cast<std::uint32_t>(opened_->inventory.ports.size());
        report.queues = static_cast<std::uint32_t>(
            std::ranges::count_if(rows, [](const auto& row) { return row.target.priority.has_value(); }));
    }
    if (agent_) {
        const auto& dog = agent_->watchdog();
        const auto& counters = agent_->counters();
        report.poll_us = whole_us(dog.watchlist().poll);
        report.notes = dog.watchlist().notes;
        report.looks = counters.looks;
        report.polls_missed = counters.polls_missed;
        report.looks_overdue = counters.looks_overdue;
        report.looks_failed = counters.looks_failed;
    }
    return report;
}

std::shared_ptr<const DeviceSnapshot> DeviceRunner::snapshot() const
{
    if (snapshot_ || !agent_) {
        return snapshot_;
    }
    const auto& dog = agent_->watchdog();
    if (!shown_list_ || shown_watchlist_ != watchlist_generation_) {
        shown_list_ = std::make_shared<watchdog::Watchlist>(dog.watchlist());
        shown_watchlist_ = watchlist_generation_;
    }
    const auto now = loop_.now().mono;
    auto made = std::make_shared<DeviceSnapshot>(DeviceSnapshot{name(), shown_list_, delegations_, {}});
    made->rows.reserve(shown_list_->rows.size());
    for (std::uint32_t row = 0; row != shown_list_->rows.size(); ++row) {
        made->rows.push_back(row_state(Slot{row}, now));
    }
    snapshot_ = std::move(made);
    return snapshot_;
}

RowState DeviceRunner::row_state(Slot slot, Instant now) const
{
    const auto& dog = agent_->watchdog();
    const auto& list = dog.watchlist();
    auto row = runner::row_state(dog, slot, now);
    row.unseen = !health_.sees_all() && list.rows[slot.value].policy != watchdog::kUnwatched &&
                 health_.unseen(to_string(list.inventory, list.inventory.rows[slot.value].target));
    return row;
}

std::optional<DeviceRunner::Decision> DeviceRunner::last_decision(const Target& target) const
{
    const auto known = last_.find(target);
    if (known == last_.end()) {
        return std::nullopt;
    }
    const auto& event = known->second;
    Decision decision{event.seq, {}};
    decision.text.push_back(
        fmt::format("{}: {}", watchdog::name(event.kind), evidence_text(event, agent_->watchdog().watchlist())));
    const auto looks = std::min<std::size_t>(event.evidence.looks, event.evidence.last.size());
    for (std::size_t i = 0; i < looks; ++i) {
        decision.text.push_back("  " + interval_text(event.evidence.last[i]));
    }
    return decision;
}

control::QueueReport queue_report(const DeviceRunner& runner, Slot slot, Instant now)
{
    const auto& dog = runner.agent()->watchdog();
    return queue_report(runner.name(), dog.watchlist(), runner.delegations(), slot, runner.row_state(slot, now));
}

std::optional<Target> find_target(const watchdog::Inventory& inventory, std::string_view queue)
{
    const auto colon = queue.rfind(':');
    for (const auto& row : inventory.rows) {
        // Compare the port first: formatting the name of each row takes long on a large switch.
        const auto& port = inventory.ports[row.target.port.index].name;
        const bool may_be = queue == port || (colon != queue.npos && queue.substr(0, colon) == port);
        if (may_be && to_string(inventory, row.target) == queue) {
            return row.target;
        }
    }
    for (std::uint16_t index = 0; const auto& port : inventory.ports) {
        if (port.name == queue || (!port.xname.empty() && port.xname == queue)) {
            return Target{{inventory.rows.empty() ? DeviceId{} : inventory.rows.front().target.port.device, index},
                          std::nullopt};
        }
        ++index;
    }
    return std::nullopt;
}

}  // namespace petrel::runner

// Makes the watchlist of a device and decides which rows the device watches itself: at the start, after a change of
// policies, and when the ports of the device change.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <utility>

#include "base/complaint_text.hpp"
#include "runner/device_runner.hpp"
#include "words/words.hpp"

namespace petrel::runner {

namespace {

// Devices carry out a write that they have accepted within a second, and within a minute under load. So the runner
// looks for late effects 1, 3, 7, 15, 31 and 63 s after its start.
constexpr Duration kFirstLateEffect = std::chrono::seconds{1};
constexpr Duration kLastLateEffect = std::chrono::seconds{32};

// The names of all rows and of their ports.
std::set<std::string> names_of(const watchdog::Inventory& inventory)
{
    std::set<std::string> names;
    for (const auto& row : inventory.rows) {
        names.insert(to_string(inventory, row.target));
        names.insert(to_string(inventory, {row.target.port, std::nullopt}));
    }
    return names;
}

// The rows of an inventory that the new one does not have.
agent::Leaving leaving(const watchdog::Inventory& old, const watchdog::Inventory& now)
{
    const auto stay = names_of(now);
    agent::Leaving gone;
    for (std::uint32_t row = 0; row != old.rows.size(); ++row) {
        if (!stay.contains(to_string(old, old.rows[row].target))) {
            gone.rows.push_back(Slot{row});
        }
    }
    return gone;
}

// The rows whose policy leaves detection to the device.
std::vector<device::DelegatedRow> left_to_device(const watchdog::Watchlist& list)
{
    std::vector<device::DelegatedRow> rows;
    for (std::uint32_t row = 0; row != list.rows.size(); ++row) {
        const auto& effective = list.rows[row];
        if (effective.policy != watchdog::kUnwatched &&
            list.policies[effective.policy].criterion == watchdog::Criterion::device) {
            const auto& policy = list.policies[effective.policy];
            rows.push_back(
                {Slot{row}, policy.detect, policy.restore, effective.action, policy.interval_tolerance, policy.clip});
        }
    }
    return rows;
}

}  // namespace

Parsed<watchdog::Watchlist> DeviceRunner::watchlist(const Policies& policies) const
{
    auto inventory = opened_->inventory;
    auto book = policies.bind(inventory, name());
    auto list = watchdog::compile(book, inventory, opened_->capabilities);
    if (!list || not_by_device_.empty()) {
        return list;
    }
    // If the device does not detect storms of a row as its policy requests, the agent detects them from looks instead:
    // by a copy of the policy with the criterion of continuous pause.
    std::map<std::uint16_t, std::uint16_t> stand_ins;
    for (std::uint32_t row = 0; row != list->rows.size(); ++row) {
        const auto& target = inventory.rows[row].target;
        const auto policy = list->rows[row].policy;
        if (policy == watchdog::kUnwatched || !not_by_device_.contains(target)) {
            continue;
        }
        const auto [stand_in, is_new] = stand_ins.emplace(policy, static_cast<std::uint16_t>(book.policies.size()));
        if (is_new) {
            book.policies.push_back(list->policies[policy]);
            book.policies.back().criterion = watchdog::Criterion::continuous;
        }
        book.assigned.push_back({stand_in->second, target.port.index, target.priority});
    }
    return watchdog::compile(book, std::move(inventory), opened_->capabilities);
}

void DeviceRunner::begin(const agent::Start& start)
{
    if (stopping_) {
        return;
    }
    not_by_device_.clear();
    auto list = watchlist(*policies_);
    if (!list) {
        return refuse_policies(list.error());
    }
    attempts_ = 0;
    first_failure_.clear();
    for (const auto& note : list->notes) {
        health_.log(LogLevel::warning, "policy_note", note);
    }
    saved_drift_ppm_ = start.remembered ? start.remembered->drift_ppm : 0;
    drift_ = watchdog::StampDrift::remembered(saved_drift_ppm_);
    intake_ = std::make_shared<watchdog::Intake>(list->inventory, list->capabilities, drift_);
    delegate_detection(left_to_device(*list));
    share_watched_rows(*list);
    health_.become(Condition::starting, "the first look is under way");
    output_.clear();
    ++watchlist_generation_;
    snapshot_.reset();
    agent_.emplace(std::move(*list), start, loop_.now(), output_);
    log_ongoing_storms();
    save_now_and_then();
    collect();
    for (const auto& notice : std::exchange(early_, {})) {
        step(notice);
    }
    if (!start.remembered || opened_->journal_tail_dropped != 0) {
        await_late_effects(kFirstLateEffect);
    }
    publish_links(links_.unpublished(memory().events()));
    read_links();
}

void DeviceRunner::await_late_effects(Duration wait)
{
    plan(late_effects_, loop_.now().mono + wait, [this, wait] {
        undo_late_effects();
        if (wait < kLastLateEffect) {
            await_late_effects(2 * wait);
        }
    });
}

// If the state folder was lost (no checkpoint) or the journal's end was torn, this process does not know the last write
// of the process before it. A device may carry out that write after begin() has read which treatments are in force. A
// treatment that shows now and is not in the journal is such a write.
void DeviceRunner::undo_late_effects()
{
    calls_.gather(std::nullopt, [this, numbering = opened_->numbering](Result<agent::Start> start) {
        if (!start || !agent_ || stopping_ || numbering != opened_->numbering) {
            return;
        }
        const auto& dog = agent_->watchdog();
        const auto has_owner = [&](const Target& target) {
            bool owned = std::ranges::find(start->journaled, target, &device::Active::target) != start->journaled.end();
            dog.row_map().for_rows_of(target, [&](Slot row) { owned = owned || !at_rest(dog.phase(row)); });
            return owned;
        };
        std::erase_if(start->found, [&](const auto& found) { return has_owner(found.first); });
        start->journaled.clear();
        if (!start->found.empty()) {
            step(*start);
        }
    });
}

// Logs the storms that an earlier process found: this process emits no event for them.
void DeviceRunner::log_ongoing_storms() const
{
    constexpr std::size_t kNamed = 8;
    const auto& dog = agent_->watchdog();
    const auto& rows = dog.watchlist().inventory.rows;
    std::vector<std::string> queues;
    for (std::uint32_t row = 0; row != rows.size(); ++row) {
        if (!at_rest(dog.phase(Slot{row}))) {
            queues.push_back(to_string(dog.watchlist().inventory, rows[row].target));
        }
    }
    if (!queues.empty()) {
        const auto unnamed = queues.size() - std::min(queues.size(), kNamed);
        health_.log(LogLevel::notice, "storms_go_on",
                    fmt::format("{} found in a storm or mitigated at the start: {}{}",
                                count_text(queues.size(), "queue"), fmt::join(queues | std::views::take(kNamed), ", "),
                                unnamed == 0 ? "" : fmt::format(", and {} more", unnamed)));
    }
}

// If the policies are the same, they are not compiled again: that takes long on a large switch and starts an extra
// poll.
bool DeviceRunner::in_force(const Policies& policies) const
{
    return agent_ && not_by_device_.empty() && policies.same_as(*policies_);
}

Parsed<void> DeviceRunner::check(const Policies& policies) const
{
    if (!opened_ || in_force(policies)) {
        return {};
    }
    return watchlist(policies).map([](const auto&) {});
}

void DeviceRunner::change(std::shared_ptr<const Policies> policies)
{
    if (in_force(*policies)) {
        return;
    }
    policies_ = std::move(policies);
    if (closing_) {
        return;  // no call of the device may follow the one that closes it
    }
    if (!agent_) {
        if (unfit_) {
            unfit_ = false;
            gather(*opened_);
        } else if (retry_ && condition() == Condition::failing) {
            // The new configuration may have removed the reason of the failure: try to open the device without waiting.
            cancel(retry_);
            attempts_ = 0;
            open();
        }
        return;
    }
    not_by_device_.clear();
    auto list = watchlist(*policies_);
    if (!list) {  // the device has changed since check()
        return refuse_policies(list.error());
    }
    delegate_detection(left_to_device(*list));
    step(std::move(*list));
}

void DeviceRunner::share_watched_rows(const watchdog::Watchlist& list)
{
    std::vector<Slot> rows;
    for (std::uint32_t row = 0; row != list.rows.size(); ++row) {
        if (list.rows[row].policy != watchdog::kUnwatched) {
            rows.push_back(Slot{row});
        }
    }
    calls_.set_watched_rows(std::move(rows), opened_->numbering);
}

// Requests a device that detects storms itself to do so for these rows and for no others.
void DeviceRunner::delegate_detection(const std::vector<device::DelegatedRow>& requested)
{
    if (!opened_->capabilities.detects_itself) {
        return;
    }
    ++watch_calls_;
    const auto numbering = opened_->numbering;
    calls_.delegate_detection(requested, numbering, [this, numbering, requested](const auto& watched) {
        --watch_calls_;
        if (numbering == opened_->numbering) {
            auto accepted = std::make_shared<Delegations>();
            if (!watched && watched.error().kind != ErrorKind::unsupported) {
                health_.log(LogLevel::error, "self_watch_failed", watched.error().what);
            }
            for (const auto& row : watched.value_or(std::vector<device::Delegated>{})) {
                accepted->emplace(row.row, row);
            }
            delegations_ = std::move(accepted);
            snapshot_.reset();
            watch_remaining_rows(requested);
        }
        stop_if_done();
    });
}

void DeviceRunner::watch_remaining_rows(const std::vector<device::DelegatedRow>& requested)
{
    for (const auto& request : requested) {
        const auto known = delegations_->find(request.row);
        if (known == delegations_->end() || !known->second.on) {
            not_by_device_.insert(opened_->inventory.rows[request.row.value].target);
        }
    }
    if (not_by_device_.empty() || stopping_ || !agent_) {
        return;
    }
    if (auto list = watchlist(*policies_)) {
        step(std::move(*list));
    } else {
        refuse_policies(list.error());
    }
}

// The agent stops watching the device until the policies change. Treatments in force stay so, and stay in the journal
// and in the memory.
void DeviceRunner::refuse_policies(const std::vector<Complaint>& complaints)
{
    unfit_ = true;
    if (agent_ && !unwritten_.empty()) {
        remember();
    }
    stop_watching();
    calls_.set_watched_rows({}, opened_->numbering);
    health_.become(Condition::failing, "the policies do not fit this device: " + to_text(complaints, "; "));
}

// Takes over a new inventory: only speeds have changed, or also the ports.
void DeviceRunner::follow(const Looked& looked)
{
    const bool other_rows = looked.numbering != opened_->numbering;
    const auto before = names_of(opened_->inventory);
    opened_->inventory = *looked.changed;
    opened_->numbering = looked.numbering;
    opened_->buffers = looked.buffers.value_or(opened_->buffers);
    if (other_rows) {
        not_by_device_.clear();
    }
    auto list = watchlist(*policies_);
    if (other_rows) {
        ++inventory_changes_;
        health_.log(LogLevel::warning, "inventory_changed",
                    fmt::format("has other ports now: {}, {}", count_text(opened_->inventory.ports.size(), "port"),
                                count_text(opened_->inventory.rows.size(), "row")));
    }
    if (!list) {
        return refuse_policies(list.error());
    }
    if (other_rows) {
        step(leaving(agent_->watchdog().watchlist().inventory, list->inventory));
        if (!unwritten_.empty()) {
            remember();  // the host reads the intake of the rows in which the events happened
        }
        intake_ = std::make_shared<watchdog::Intake>(list->inventory, list->capabilities, drift_);
        next_look_.reset();  // it is for rows of the old inventory
        last_.clear();
        delegate_detection(left_to_device(*list));
    }
    step(std::move(*list));
    if (other_rows) {
        gather_new_rows(before);
    }
}

// A port that was removed may come back with a treatment of this agent: read journal and device as at a start.
void DeviceRunner::gather_new_rows(const std::set<std::string>& before)
{
    calls_.gather(std::nullopt, [this, before, numbering = opened_->numbering](Result<agent::Start> start) {
        if (!start || !agent_ || numbering != opened_->numbering) {
            return;  // the device fails or has changed again: the next look reports that
        }
        const auto was_there = [&](const Target& target) {
            return before.contains(to_string(opened_->inventory, target));
        };
        std::erase_if(start->journaled, [&](const auto& active) { return was_there(active.target); });
        std::erase_if(start->found, [&](const auto& found) { return was_there(found.first); });
        if (stopping_) {  // the device may be closed already
            left_behind_ += *stopping_ == config::StopPolicy::restore ? start->journaled.size() : 0;
            return;
        }
        if (!start->journaled.empty() || !start->found.empty()) {
            step(*start);
        }
    });
}

}  // namespace petrel::runner

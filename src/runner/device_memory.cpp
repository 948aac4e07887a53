// What a device's agent remembers of the process before it, and the storms of ports that left meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/checkpoint_json.hpp"
#include "codec/event_json.hpp"
#include "runner/device_runner.hpp"

namespace petrel::runner {

namespace {

std::vector<std::string> row_names(const watchdog::Inventory& inventory)
{
    std::vector<std::string> names;
    for (const auto& row : inventory.rows) {
        names.push_back(to_string(inventory, row.target));
    }
    return names;
}

}  // namespace

// The last saved checkpoint, its ages increased by the time since it was saved.
std::optional<watchdog::Checkpoint> DeviceRunner::remembered()
{
    const auto saved = memory().load(loop_.now());
    if (!saved) {
        return std::nullopt;
    }
    const auto file = name() + ".state";
    watchdog::Inventory gone;
    auto checkpoint = codec::read_checkpoint(saved->checkpoint, file, opened_->inventory, &gone);
    if (!checkpoint) {
        health_.log(LogLevel::error, "memory_unreadable", to_text(checkpoint.error(), "; "));
        watchdog::Checkpoint nothing;
        nothing.next_seq = memory().last_seq() + 1;
        return nothing;
    }
    checkpoint->next_seq = std::max(checkpoint->next_seq, memory().last_seq() + 1);
    auto now = watchdog::aged(std::move(*checkpoint), saved->age);
    now.rebooted = saved->rebooted;
    if (!gone.rows.empty()) {
        health_.log(
            LogLevel::warning, "memory_of_others",
            fmt::format("remembered, but the device does not have it now: {}", fmt::join(row_names(gone), ", ")));
        if (auto left = codec::read_checkpoint(saved->checkpoint, file, gone)) {
            close_storms(watchdog::aged(std::move(*left), saved->age), std::move(gone), now);
        }
    }
    return now;
}

// Closes the storms of ports that left while no agent ran as if the ports left now, with a watchdog of these ports
// alone. `rest` is the checkpoint of all others; it gets the statistics of these ports.
void DeviceRunner::close_storms(watchdog::Checkpoint left, watchdog::Inventory gone, watchdog::Checkpoint& rest)
{
    auto book = policies_->bind(gone, name());
    auto list = watchdog::compile(book, gone, opened_->capabilities);
    if (!list) {
        return;  // begin() reports it
    }
    const auto now = loop_.now();
    watchdog::Watchdog dog{*list, now.mono};
    left.next_seq = rest.next_seq;
    left.red_switch = false;
    dog.load(left, now.mono);
    std::vector<Slot> rows;
    for (std::uint32_t row = 0; row != gone.rows.size(); ++row) {
        rows.push_back(Slot{row});
    }
    watchdog::Outbox box;
    dog.leave(rows, now.mono, box);
    for (const auto& row : dog.save(now.mono).rows) {
        rest.departed.push_back({to_string(gone, row.target), row.stats});
    }
    if (box.events.empty()) {
        return;
    }
    rest.next_seq = box.events.back().seq + 1;
    std::vector<StoredEvent> events;
    for (const auto& event : box.events) {
        events.push_back({event.seq, codec::event_json(event, now.wall, *list, name())});
    }
    host_.state_written(*this, setup_.memory->append(events, codec::checkpoint_json(rest, opened_->inventory), now));
    for (std::size_t i = 0; i != events.size(); ++i) {
        host_.event_written(*this, *list, box.events[i], events[i].json);
    }
}

}  // namespace petrel::runner

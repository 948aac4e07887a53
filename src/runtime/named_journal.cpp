#include "runtime/named_journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace petrel::runtime {
namespace {

DeviceId device_of(const watchdog::Inventory& inventory)
{
    return inventory.rows.empty() ? DeviceId{} : inventory.rows.front().target.port.device;
}

}  // namespace

void NamedJournal::learn(const watchdog::Inventory& inventory)
{
    device_id_ = device_of(inventory);
    ports_.clear();
    numbers_.clear();
    for (const auto& port : inventory.ports) {
        numbers_.emplace(port.name, static_cast<std::uint16_t>(ports_.size()));
        ports_.push_back(port.name);
    }
}

// Records store names, so nothing has to be rewritten.
void NamedJournal::renumber(const watchdog::Inventory&, const watchdog::Inventory& after) { learn(after); }

Result<void> NamedJournal::open(const device::Active& active)
{
    if (active.undo.size > active.undo.bytes.size()) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("undo of {} bytes, at most {} are allowed",
                                                                    active.undo.size, active.undo.bytes.size())});
    }
    auto target = named(active.target);
    if (!target) {
        return tl::unexpected(target.error());
    }
    const JournalEntry entry{std::move(*target), active.treatment, active.undo, active.since};
    auto after = entries_;
    enter(after, entry);
    if (after == entries_) {
        return {};
    }
    return write(open_record(entry)).map([&] {
        entries_ = std::move(after);
        changed();
    });
}

Result<void> NamedJournal::close(const Target& target)
{
    const auto name = named(target);
    if (!name) {
        return tl::unexpected(name.error());
    }
    auto after = entries_;
    remove(after, *name);
    if (after == entries_) {
        return {};
    }
    return write(close_record(*name)).map([&] {
        entries_ = std::move(after);
        changed();
    });
}

Result<std::vector<device::Active>> NamedJournal::active()
{
    std::vector<device::Active> all;
    for (const auto& entry : entries_) {
        if (const auto target = known(entry.target)) {
            all.push_back({*target, entry.treatment, entry.undo, entry.since});
        }
    }
    return all;
}

std::vector<JournalEntry> NamedJournal::entries_of_absent_ports() const
{
    std::vector<JournalEntry> unknown;
    std::ranges::copy_if(entries_, std::back_inserter(unknown),
                         [&](const auto& entry) { return !known(entry.target); });
    return unknown;
}

Result<NamedTarget> NamedJournal::named(const Target& target) const
{
    if (target.port.index >= ports_.size() || ports_[target.port.index].size() > kLongestStoredName) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("port {} has no name that can be stored", target.port.index)});
    }
    return NamedTarget{ports_[target.port.index], target.priority};
}

std::optional<Target> NamedJournal::known(const NamedTarget& target) const
{
    const auto port = numbers_.find(target.port);
    if (port == numbers_.end()) {
        return std::nullopt;
    }
    return Target{{device_id_, port->second}, target.priority};
}

}  // namespace petrel::runtime

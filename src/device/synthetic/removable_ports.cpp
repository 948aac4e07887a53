#include "device/synthetic/removable_ports.hpp"

#include <algorithm>
#include <iterator>

namespace petrel::device {

namespace {

Error no_such_port() { return {ErrorKind::invalid, "the port was removed"}; }

class Renumber final : public watchdog::SampleFilter {
public:
    explicit Renumber(const std::vector<std::optional<Slot>>& shown) : shown_(shown) {}
    void pass(watchdog::Sample& sample) override
    {
        const auto shown = shown_[sample.slot.value];
        sample.slot = shown.value_or(Slot{0});
        sample.known = shown ? sample.known : watchdog::Fields{};  // the intake ignores a sample without known fields
    }

private:
    const std::vector<std::optional<Slot>>& shown_;
};

}  // namespace

RemovablePorts::RemovablePorts(FaultyDevice& behind, const std::set<std::string>& removed, RemovablePorts*& opened)
    : behind_(behind), removed_(removed), opened_(opened)
{
    opened_ = this;
    shown_.generation = behind_.inventory().generation;
    follow();
}

void RemovablePorts::follow()
{
    const auto& all = behind_.inventory();
    followed_ = removed_;
    behind_generation_ = all.generation;
    shown_ = {{}, {}, shown_.generation + 1};
    shown_row_.assign(all.rows.size(), std::nullopt);
    shown_port_.assign(all.ports.size(), std::nullopt);
    behind_row_.clear();
    behind_port_.clear();
    for (std::uint16_t port = 0; port != all.ports.size(); ++port) {
        if (!followed_.contains(all.ports[port].name)) {
            shown_port_[port] = static_cast<std::uint16_t>(behind_port_.size());
            behind_port_.push_back(port);
            shown_.ports.push_back(all.ports[port]);
        }
    }
    for (std::uint32_t row = 0; row != all.rows.size(); ++row) {
        if (const auto port = shown_port_[all.rows[row].target.port.index]) {
            shown_row_[row] = Slot{static_cast<std::uint32_t>(behind_row_.size())};
            behind_row_.push_back(Slot{row});
            shown_.rows.push_back(all.rows[row]);
            shown_.rows.back().target.port.index = *port;
        }
    }
}

Result<void> RemovablePorts::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    if (removed_ != followed_) {
        follow();
        return {};
    }
    Result<void> done;
    if (followed_.empty()) {
        done = behind_.look(rows, into);
    } else if (!behind_row_.empty()) {
        Renumber renumber{shown_row_};
        done = behind_.look(rows.empty() ? behind_row_ : behind(rows), into, &renumber);
    }
    if (behind_.inventory().generation != behind_generation_) {
        follow();
    }
    return done;
}

std::vector<Slot> RemovablePorts::behind(std::span<const Slot> rows) const
{
    std::vector<Slot> all;
    std::ranges::transform(rows, std::back_inserter(all), [&](Slot row) { return behind_row_.at(row.value); });
    return all;
}

std::optional<Target> RemovablePorts::behind(const Target& target) const
{
    if (target.port.index >= behind_port_.size()) {
        return std::nullopt;
    }
    return Target{{target.port.device, behind_port_[target.port.index]}, target.priority};
}

std::optional<watchdog::Command> RemovablePorts::behind(const watchdog::Command& command) const
{
    const auto target = behind(command.target);
    if (!target) {
        return std::nullopt;
    }
    auto renumbered = command;
    renumbered.target = *target;
    return renumbered;
}

Result<Undo> RemovablePorts::prepare(const watchdog::Command& command)
{
    const auto there = behind(command);
    return there ? behind_.prepare(*there) : tl::unexpected(no_such_port());
}

Result<void> RemovablePorts::apply(const watchdog::Command& command, const Undo& undo)
{
    const auto there = behind(command);
    return there ? behind_.apply(*there, undo) : tl::unexpected(no_such_port());
}

Result<void> RemovablePorts::await_effect(const watchdog::Command& command)
{
    const auto there = behind(command);
    return there ? behind_.await_effect(*there) : tl::unexpected(no_such_port());
}

Result<watchdog::Treatment> RemovablePorts::read_back(const Target& target)
{
    const auto there = behind(target);
    return there ? behind_.read_back(*there) : tl::unexpected(no_such_port());
}

Result<std::vector<Delegated>> RemovablePorts::delegate_detection(std::span<const DelegatedRow> wanted)
{
    std::vector<DelegatedRow> there{wanted.begin(), wanted.end()};
    for (auto& row : there) {
        row.row = behind_row_.at(row.row.value);
    }
    return behind_.delegate_detection(there).map([&](std::vector<Delegated> watched) {
        for (auto& row : watched) {
            row.row = shown_row_.at(row.row.value).value();
        }
        return watched;
    });
}

void RemovablePorts::set_watched_rows(std::span<const Slot> rows) { behind_.set_watched_rows(behind(rows)); }

void RemovablePorts::post(const watchdog::Notice& notice) noexcept
{
    const auto port = shown_port_[notice.target.port.index];
    if (sink_ == nullptr || !port) {
        return;
    }
    auto renumbered = notice;
    renumbered.target.port.index = *port;
    sink_->post(renumbered);
}

Result<std::vector<link::LinkSample>> RemovablePorts::read_links()
{
    return behind_.read_links().map([&](std::vector<link::LinkSample> seen) {
        std::erase_if(seen, [&](const link::LinkSample& one) { return followed_.contains(one.port); });
        return seen;
    });
}

}  // namespace petrel::device

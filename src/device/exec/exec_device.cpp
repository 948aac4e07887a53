#include "device/exec/exec_device.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/complaint_text.hpp"
#include "codec/exec/exec_request.hpp"

namespace petrel::device::exec {

using codec::ExecMessage;
using watchdog::Command;
using watchdog::Treatment;

Result<std::unique_ptr<ExecDevice>> ExecDevice::open(const StartHelper& start, DeviceId id, const TimeSource& clock,
                                                     NoteSink report)
{
    return start().and_then([&](std::unique_ptr<Helper> helper) {
        Conversation conversation{std::move(helper), id, clock};
        return conversation.hello().map([&](codec::ExecHello hello) {
            return std::unique_ptr<ExecDevice>{
                new ExecDevice{std::move(conversation), std::move(hello), clock, std::move(report)}};
        });
    });
}

ExecDevice::ExecDevice(Conversation conversation, codec::ExecHello hello, const TimeSource& clock, NoteSink report)
    : conversation_(std::move(conversation)),
      inventory_(std::move(hello.inventory)),
      capabilities_(hello.capabilities),
      names_(inventory_),
      treated_by_others_(hello.treated_by_others),
      clock_(clock),
      report_(std::move(report))
{}

template <class Make>
Result<ExecMessage> ExecDevice::ask(Make make)
{
    deliver();
    auto answer = conversation_.ask(make);
    deliver();
    return answer;
}

// Passes on what the helper has sent by itself.
void ExecDevice::deliver()
{
    for (const auto& note : conversation_.take_notes()) {
        report_(note);
    }
    if (sink_ == nullptr) {
        return;
    }
    for (const auto& notice : conversation_.take_notices()) {
        if (const auto target = names_.target(notice.target)) {
            sink_->post({notice.kind, *target, notice.at, notice.action, notice.interval});
        } else {
            conversation_.end_with({ErrorKind::corrupt, fmt::format("target is '{}': allowed is a queue or port of the "
                                                                    "inventory",
                                                                    excerpt(notice.target))});
        }
    }
}

void ExecDevice::listen(NoticeSink& sink) { sink_ = &sink; }

int ExecDevice::receive_notices()
{
    const auto fd = conversation_.receive_unasked();
    deliver();
    return conversation_.ended() ? -1 : fd;
}

// The rows of an answer that comes with a new inventory belong to either of the two: the answer is not used.
Result<void> ExecDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    if (conversation_.has_inventory()) {
        adopt_inventory();
        return {};
    }
    for (const auto row : rows) {
        if (row.value >= inventory_.rows.size()) {
            return tl::unexpected(
                Error{ErrorKind::invalid, fmt::format("no row {}, there are {}", row.value, inventory_.rows.size())});
        }
    }
    return ask([&](std::uint64_t id) { return codec::exec_look(id, names_, rows); })
        .and_then([&](const ExecMessage& answer) -> Result<void> {
            if (conversation_.has_inventory()) {
                adopt_inventory();
                return {};
            }
            return answer.samples(names_, capabilities_.fields, clock_.now().mono)
                .map([&](const codec::ExecSamples& samples) {
                    for (const auto& sample : samples.read) {
                        into.put(sample);
                    }
                    note_unseen(samples, rows);
                });
        });
}

void ExecDevice::adopt_inventory()
{
    const auto generation = inventory_.generation;
    inventory_ = conversation_.take_inventory();
    inventory_.generation = generation + 1;
    names_ = codec::ExecNames{inventory_};
    watched_.clear();
    unseen_.clear();
}

// `rows`: the rows of the look; none = all.
void ExecDevice::note_unseen(const codec::ExecSamples& samples, std::span<const Slot> rows)
{
    std::map<Slot, std::string> missing;
    for (const auto row : watched_) {
        if (rows.empty() || std::ranges::find(rows, row) != rows.end()) {
            missing.emplace(row, "the helper's answers leave it out");
        }
    }
    for (const auto& [row, why] : missing) {
        unseen_.erase(row);
    }
    for (const auto& sample : samples.read) {
        if (sample.known != 0) {
            missing.erase(sample.slot);
        }
    }
    for (const auto& [queue, why] : samples.unreadable) {
        if (const auto row = missing.find(*names_.row(queue)); row != missing.end()) {
            row->second = why;
        }
    }
    unseen_.merge(missing);
}

std::vector<UnseenQueue> ExecDevice::unseen_queues() const
{
    std::vector<UnseenQueue> queues;
    for (const auto& [row, why] : unseen_) {
        queues.push_back({names_.name(row), why});
    }
    return queues;
}

Result<std::string> ExecDevice::find(const Target& target) const
{
    auto name = to_string(inventory_, target);
    if (names_.target(name) != target) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("no queue or port {}", name)});
    }
    return name;
}

Result<Undo> ExecDevice::prepare(const Command& command)
{
    return find(command.target)
        .and_then([&](const std::string& target) {
            return ask([&](std::uint64_t id) { return codec::exec_prepare(id, target, command.want); });
        })
        .and_then([](const ExecMessage& answer) { return answer.undo(); });
}

Result<void> ExecDevice::apply(const Command& command, const Undo& undo)
{
    return find(command.target)
        .and_then([&](const std::string& target) {
            return ask([&](std::uint64_t id) { return codec::exec_apply(id, target, command.want, undo); });
        })
        .and_then([](const ExecMessage& answer) { return answer.done(); });
}

Result<Treatment> ExecDevice::read_back(const Target& target)
{
    return find(target)
        .and_then([&](const std::string& name) {
            return ask([&](std::uint64_t id) { return codec::exec_read_back(id, name); });
        })
        .and_then([](const ExecMessage& answer) { return answer.treatment(); });
}

Result<std::vector<Delegated>> ExecDevice::delegate_detection(std::span<const DelegatedRow> rows)
{
    if (!capabilities_.detects_itself) {
        return PlainDevice::delegate_detection(rows);
    }
    return ask([&](std::uint64_t id) { return codec::exec_watch_by_itself(id, names_, rows); })
        .and_then([&](const ExecMessage& answer) { return answer.delegated(names_, rows); });
}

// Behind a new inventory that waits for a look, an answer may name ports of either.
Result<std::vector<link::LinkSample>> ExecDevice::read_links()
{
    if (!capabilities_.reads_links) {
        return PlainDevice::read_links();
    }
    return ask([](std::uint64_t id) { return codec::exec_links(id); }).and_then([&](const ExecMessage& answer) {
        return answer.links(
            [&](std::string_view name) { return conversation_.has_inventory() || names_.is_port(name); });
    });
}

}  // namespace petrel::device::exec

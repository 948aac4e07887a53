#include "support/synthetic_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/assert.hpp"

namespace petrel::device {

using watchdog::Capabilities;
using watchdog::Command;
using watchdog::Field;
using watchdog::Fields;
using watchdog::Sample;
using watchdog::Treatment;

namespace {

constexpr std::uint8_t kNoPlace = 0xff;

Treatment treatment_in(std::uint32_t word)
{
    return (word & SyntheticSwitch::kTreated) == 0 ? Treatment::none : static_cast<Treatment>(word & 0xffU);
}

// The word that a restore writes. An Undo that holds a treatment (it was read while one was in force) does not contain
// the former value.
std::uint32_t word_before(const Undo& undo)
{
    std::uint32_t word = SyntheticSwitch::kTreated;
    if (undo.size == sizeof word) {
        std::memcpy(&word, undo.bytes.data(), sizeof word);
    }
    return (word & SyntheticSwitch::kTreated) == 0 ? word : SyntheticSwitch::kDefaultConfiguration;
}

}  // namespace

Capabilities SyntheticSwitch::everything()
{
    Capabilities all;
    all.fields = (1U << watchdog::kFields) - 1;
    all.survive = all.fields;
    all.treatments = (1U << static_cast<unsigned>(Treatment::count_)) - 1;
    all.port_wide = bit(Treatment::lossless_off) | bit(Treatment::squeeze) | bit(Treatment::port_down);
    all.reads_back = true;
    return all;
}

SyntheticSwitch::SyntheticSwitch(Options options, const TimeSource& clock) : options_(std::move(options)), clock_(clock)
{
    PETREL_ASSERT(!options_.priorities.empty(), "a switch without queues");
    place_.fill(kNoPlace);
    for (std::uint8_t place = 0; const auto priority : options_.priorities) {
        place_[priority.value] = place++;
    }
    const QueueModel::Shape shape{options_.speed, options_.packet_bytes, options_.buffer_bytes, options_.freezes};
    for (std::uint16_t index = 0; index < options_.ports; ++index) {
        inventory_.ports.push_back({fmt::format("Ethernet{}", index), "", index});
        if (options_.port_rows) {
            inventory_.rows.push_back({port(index), options_.speed, options_.host_facing});
        }
        for (const auto priority : options_.priorities) {
            inventory_.rows.push_back({{{options_.device, index}, priority}, options_.speed, options_.host_facing});
            queues_.emplace_back(shape, clock_.now().mono);
        }
    }
    queue_configuration_.resize(queues_.size(), kDefaultConfiguration);
    port_configuration_.resize(options_.ports, kDefaultConfiguration);
}

Target SyntheticSwitch::port(std::uint16_t index) const { return {{options_.device, index}, std::nullopt}; }

Target SyntheticSwitch::queue(std::uint16_t port_index, Priority priority) const
{
    return {{options_.device, port_index}, priority};
}

Slot SyntheticSwitch::slot(const Target& target) const
{
    const auto port_row = target.port.index * rows_per_port();
    return target.priority ? Slot{port_row + rows_per_port() - queues_per_port() + place_[target.priority->value]}
                           : Slot{port_row};
}

bool SyntheticSwitch::exists(const Target& target) const
{
    const bool priority_fits =
        !target.priority || (target.priority->value < kPriorities && place_[target.priority->value] != kNoPlace);
    return target.port.device == options_.device && target.port.index < options_.ports && priority_fits;
}

std::uint32_t SyntheticSwitch::index_of(const Target& queue) const
{
    PETREL_ASSERT(exists(queue) && queue.priority, "no such queue: port {}", queue.port.index);
    return queue.port.index * queues_per_port() + place_[queue.priority->value];
}

QueueModel& SyntheticSwitch::current(const Target& queue)
{
    auto& model = queues_[index_of(queue)];
    model.advance(clock_.now().mono);
    return model;
}

std::span<QueueModel> SyntheticSwitch::queues_of(std::uint16_t port_index)
{
    return std::span{queues_}.subspan(std::size_t{port_index} * queues_per_port(), queues_per_port());
}

void SyntheticSwitch::pause(const Target& queue, const Stretches& stretches) { current(queue).add_pause(stretches); }

void SyntheticSwitch::stall_receive(const Target& queue, const Stretches& stretches)
{
    current(queue).add_receive_stall(stretches);
}

void SyntheticSwitch::change_link(std::uint16_t port_index, const LinkChange& change)
{
    for (auto& queue : queues_of(port_index)) {
        queue.advance(clock_.now().mono);
        queue.add_link(change);
    }
}

void SyntheticSwitch::demand(const Target& queue, BitRate rate) { current(queue).set_demand(rate); }

void SyntheticSwitch::receive(const Target& queue, BitRate rate) { current(queue).set_receive(rate); }

void SyntheticSwitch::notify(const watchdog::Notice& notice)
{
    if (sink_ != nullptr) {
        sink_->post(notice);
    }
}

Treatment SyntheticSwitch::in_force(const Target& target) const { return treatment_in(configuration(target)); }

std::uint32_t SyntheticSwitch::configuration(const Target& target) const
{
    return target.priority ? queue_configuration_[index_of(target)] : port_configuration_[target.port.index];
}

void SyntheticSwitch::configure(const Target& target, std::uint32_t word)
{
    const auto port_index = target.port.index;
    (target.priority ? queue_configuration_[index_of(target)] : port_configuration_[port_index]) = word;
    for (const auto priority : options_.priorities) {
        const auto treated = queue(port_index, priority);
        current(treated).treat(std::max(in_force(treated), in_force(port(port_index))));
    }
}

Result<void> SyntheticSwitch::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    Sample sample;
    sample.read_at = instant_from_us(whole_us(clock_.now().mono));
    const auto per_port = rows_per_port();
    const auto first_queue = per_port - queues_per_port();
    const auto read = [&](std::uint32_t row) {
        const auto port_index = row / per_port;
        const auto place = row % per_port;
        sample.slot = Slot{row};
        if (place < first_queue) {
            sample_port(static_cast<std::uint16_t>(port_index), sample);
        } else {
            sample_queue(port_index * queues_per_port() + place - first_queue, sample);
        }
        into.put(sample);
    };
    if (rows.empty()) {
        for (std::uint32_t row = 0; row < inventory_.rows.size(); ++row) {
            read(row);
        }
    }
    for (const auto row : rows) {
        if (row.value >= inventory_.rows.size()) {
            return tl::unexpected(
                Error{ErrorKind::invalid, fmt::format("no row {}, there are {}", row.value, inventory_.rows.size())});
        }
        read(row.value);
    }
    return {};
}

void SyntheticSwitch::sample_queue(std::uint32_t index, Sample& sample)
{
    auto& queue = queues_[index];
    queue.advance(sample.read_at);
    sample.known = options_.capabilities.fields & ~bit(Field::pause_timeout);
    sample.epoch = queue.epoch();
    sample.paused_now = queue.paused();
    if (has(sample.known, Field::pause_state)) {
        sample.pause_state = queue.read_pause_state();
    }
    for (Fields left = sample.known; left != 0; left &= left - 1) {
        const auto field = static_cast<Field>(std::countr_zero(left));
        sample[field] = queue.read(field);
    }
}

void SyntheticSwitch::sample_port(std::uint16_t port_index, Sample& sample)
{
    sample.known = options_.capabilities.fields & bit(Field::pause_timeout);
    sample[Field::pause_timeout] = 0;
    const auto queues = queues_of(port_index);
    for (std::size_t place = 0; place < queues.size(); ++place) {
        queues[place].advance(sample.read_at);
        const bool timed_out = queues[place].paused_for() >= options_.pause_timeout;
        sample[Field::pause_timeout] |= std::uint64_t{timed_out} << options_.priorities[place].value;
    }
    sample.epoch = queues.front().epoch();
}

Result<void> SyntheticSwitch::check(const Command& command) const
{
    if (!exists(command.target)) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("no such queue or port: port {}", command.target.port.index)});
    }
    if (command.want == Treatment::none) {
        return {};
    }
    if (!has(options_.capabilities.treatments, command.want)) {
        return tl::unexpected(
            Error{ErrorKind::unsupported, fmt::format("this switch cannot do {}", name(command.want))});
    }
    if (has(options_.capabilities.port_wide, command.want) == command.target.priority.has_value()) {
        return tl::unexpected(Error{ErrorKind::unsupported, fmt::format("{} does not apply to a {}", name(command.want),
                                                                        command.target.priority ? "queue" : "port")});
    }
    return {};
}

Result<Undo> SyntheticSwitch::prepare(const Command& command)
{
    return check(command).map([&] {
        Undo undo;
        const auto word = configuration(command.target);
        std::memcpy(undo.bytes.data(), &word, sizeof word);
        undo.size = sizeof word;
        return undo;
    });
}

Result<void> SyntheticSwitch::apply(const Command& command, const Undo& undo)
{
    return check(command).map([&] {
        const bool restore = command.want == Treatment::none;
        configure(command.target, restore ? word_before(undo) : kTreated | static_cast<std::uint32_t>(command.want));
    });
}

Result<Treatment> SyntheticSwitch::read_back(const Target& target)
{
    if (!exists(target)) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("no such queue or port: port {}", target.port.index)});
    }
    return in_force(target);
}

}  // namespace petrel::device

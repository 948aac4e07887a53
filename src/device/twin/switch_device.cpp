#include "device/twin/switch_device.hpp"

#include <algorithm>
#include <utility>

namespace petrel::device::twin {

using watchdog::Capabilities;
using watchdog::Command;
using watchdog::Field;
using watchdog::Fields;
using watchdog::Notice;
using watchdog::Sample;
using watchdog::Treatment;

namespace {

constexpr Fields kPauseFields = bit(Field::pause_state) | bit(Field::paused_now) | bit(Field::pause_us) |
                                bit(Field::rx_pfc) | bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::on2off) |
                                bit(Field::pause_timeout);
constexpr Fields kFields = kPauseFields | bit(Field::tx_packets) | bit(Field::tx_bytes) | bit(Field::tx_drops) |
                           bit(Field::rx_packets) | bit(Field::rx_drops) | bit(Field::occupancy) | bit(Field::pause_tx);
constexpr watchdog::Treatments kPortWide =
    bit(Treatment::lossless_off) | bit(Treatment::squeeze) | bit(Treatment::port_down);
constexpr watchdog::Treatments kDoes =
    kPortWide | bit(Treatment::ignore_pause) | bit(Treatment::drop_egress) | bit(Treatment::drop);

constexpr std::uint16_t kSmallestFrame = 64;
constexpr std::uint16_t kSqueezed = kSmallestFrame - 1;

Capabilities capabilities_of(const Traits& traits, const sim::SwitchProfile& profile)
{
    Capabilities can;
    can.fields = traits.fields & kFields;
    if (traits.pause_limit == Duration::zero()) {
        can.fields &= ~bit(Field::pause_timeout);
    }
    // Every treatment stops honouring pause. If the switch does not count pause that it does not honour, no pause
    // signal is left.
    can.survive = profile.flaws.deaf_without_pfc ? can.fields & ~kPauseFields : can.fields;
    can.treatments = traits.treatments & kDoes;
    can.port_wide = kPortWide;
    can.reads_back = traits.reads_back;
    can.reads_links = traits.reads_links;
    can.acts_later = traits.acts_later;
    can.detects_itself = traits.deadlock_detect != Duration::zero() || !traits.of_port.empty();
    can.refresh = Duration{static_cast<std::int64_t>(profile.flaws.refresh / sim::kNs)};
    can.stamp_uncertainty = Duration{static_cast<std::int64_t>(profile.flaws.jitter / sim::kNs)};
    return can;
}

sim::Ps to_ps(Duration d) { return static_cast<sim::Ps>(d.count()) * sim::kNs; }

std::uint8_t port_of(const Target& target) { return static_cast<std::uint8_t>(target.port.index); }
std::uint8_t bit_of(const Target& target) { return static_cast<std::uint8_t>(1U << target.priority->value); }

struct QueueFields {
    std::uint8_t ignore_pause{};
    std::uint8_t discard_egress{};
    std::uint8_t discard_ingress{};
    std::uint8_t send_no_pause{};
};

QueueFields queue_fields(const sim::PortRegisters& from, std::uint8_t bit)
{
    const auto flag = [bit](std::uint8_t mask) { return static_cast<std::uint8_t>((mask & bit) != 0); };
    return {flag(from.ignore_pause), flag(from.discard_egress), flag(from.discard_ingress), flag(from.send_no_pause)};
}

QueueFields queue_fields(Treatment t)
{
    const bool drop = t == Treatment::drop;
    return {drop || t == Treatment::ignore_pause, drop || t == Treatment::drop_egress, drop, drop};
}

void put(const QueueFields& fields, std::uint8_t bit, sim::PortRegisters& into)
{
    const auto set = [bit](std::uint8_t& mask, std::uint8_t on) {
        mask = static_cast<std::uint8_t>(on != 0 ? mask | bit : mask & ~bit);
    };
    set(into.ignore_pause, fields.ignore_pause);
    set(into.discard_egress, fields.discard_egress);
    set(into.discard_ingress, fields.discard_ingress);
    set(into.send_no_pause, fields.send_no_pause);
}

// A partly applied treatment shows as a weaker one, never as none.
Treatment shown_by(const QueueFields& f)
{
    if (f.ignore_pause + f.discard_egress + f.discard_ingress + f.send_no_pause == 4) {
        return Treatment::drop;
    }
    if (f.discard_egress != 0) {
        return Treatment::drop_egress;
    }
    return (f.ignore_pause | f.discard_ingress | f.send_no_pause) != 0 ? Treatment::ignore_pause : Treatment::none;
}

struct PortFields {
    std::uint16_t max_frame_bytes{};
    std::uint8_t pause_rx{};
    std::uint8_t lossless_off{};
    std::uint8_t enabled{};
};

PortFields port_fields(const sim::PortRegisters& from)
{
    return {from.max_frame_bytes, from.pause_rx, from.lossless_off, from.enabled};
}

void put(const PortFields& fields, sim::PortRegisters& into)
{
    into.max_frame_bytes = fields.max_frame_bytes;
    into.pause_rx = fields.pause_rx;
    into.lossless_off = fields.lossless_off;
    into.enabled = fields.enabled != 0;
}

PortFields treated(PortFields fields, Treatment t, std::uint8_t lossless)
{
    switch (t) {
    case Treatment::lossless_off: fields.lossless_off = lossless; break;
    case Treatment::squeeze:
        fields.max_frame_bytes = kSqueezed;
        fields.pause_rx = 0;
        break;
    case Treatment::port_down: fields.enabled = 0; break;
    default: break;
    }
    return fields;
}

// A port may also be disabled by the policy of its link, which hides no treatment.
Treatment shown_by(const PortFields& f)
{
    if (f.max_frame_bytes < kSmallestFrame) {
        return Treatment::squeeze;
    }
    if (f.lossless_off != 0) {
        return Treatment::lossless_off;
    }
    return f.enabled == 0 ? Treatment::port_down : Treatment::none;
}

}  // namespace

SwitchDevice::SwitchDevice(sim::SwitchView view, const Seat& seat, const Traits& traits)
    : NodeDevice(seat), view_(view), traits_(traits), links_(view, seat)
{
    capabilities_ = capabilities_of(traits, view_.profile());
    stamp_drift_ppm_ = view_.profile().flaws.drift_ppm;
    for (std::uint8_t port = 0; port != view_.ports(); ++port) {
        add_rows(port, view_.lossless(), bit(Field::pause_timeout));
    }
    program_detectors();
}

SwitchDevice::~SwitchDevice() { view_.on_interrupt({}); }

SwitchDevice::Intervals SwitchDevice::intervals(const Target& target) const
{
    const auto own = std::ranges::find(traits_.of_port, port_of(target), [](const auto& port) { return port.port; });
    return own != traits_.of_port.end() ? Intervals{own->detect, own->recover}
                                        : Intervals{traits_.deadlock_detect, traits_.deadlock_recover};
}

void SwitchDevice::program_detectors()
{
    detector_on_.resize(inventory_.rows.size());
    for (std::size_t row = 0; row != inventory_.rows.size(); ++row) {
        const auto& target = inventory_.rows[row].target;
        if (target.priority) {
            set_detector(row, true);
        } else {
            view_.set_pause_limit(port_of(target), to_ps(traits_.pause_limit));
        }
        view_.set_recovery_action(port_of(target), traits_.recovery_drops);
    }
}

void SwitchDevice::set_detector(std::size_t row, bool on)
{
    const auto& target = inventory_.rows[row].target;
    const auto has = on ? intervals(target) : Intervals{};
    detector_on_[row] = on;
    view_.set_deadlock_timers(port_of(target), queue_of(target), to_ps(has.detect), to_ps(has.recover));
}

Result<std::vector<Delegated>> SwitchDevice::delegate_detection(std::span<const DelegatedRow> wanted)
{
    std::vector<Delegated> watched;
    for (std::uint32_t row = 0; row != inventory_.rows.size(); ++row) {
        const auto& target = inventory_.rows[row].target;
        const auto request = std::ranges::lower_bound(wanted, Slot{row}, {}, &DelegatedRow::row);
        const bool requested = request != wanted.end() && request->row == Slot{row};
        const auto has = target.priority ? intervals(target) : Intervals{};
        const bool can = has.detect != Duration::zero();
        // Its intervals are fixed.
        const bool on = can && requested &&
                        (request->clip || (request->tolerates(request->detect, has.detect) &&
                                           request->tolerates(request->restore, has.recover)));
        if (requested) {
            const auto shown = [&](Duration own) {
                return TimerShown{on || !can ? std::optional{own} : std::nullopt, own};
            };
            watched.push_back({Slot{row}, shown(has.detect), shown(has.recover), on});
        }
        if (can && detector_on_[row] != on) {
            set_detector(row, on);
        }
    }
    return watched;
}

void SwitchDevice::sample(const watchdog::RowInfo& row, Sample& into)
{
    const auto port = port_of(row.target);
    into.epoch = view_.link_up(port) ? view_.epoch(port) : 0;
    if (row.target.priority) {
        sample_queue(row, into);
    } else {
        into.known = bit(Field::pause_timeout);
        into[Field::pause_timeout] = view_.pause_timeout(port, now());
    }
}

void SwitchDevice::sample_queue(const watchdog::RowInfo& row, Sample& into)
{
    const auto port = port_of(row.target);
    const auto queue = view_.queue(port, queue_of(row.target), now());
    const auto group = view_.group(port, view_.profile().group_of_priority[row.target.priority->value]);
    into.known = capabilities_.fields & ~bit(Field::pause_timeout);
    if (has(into.known, Field::pause_state)) {  // the read consumes it
        into.pause_state = static_cast<watchdog::PauseState>(view_.continuous_pause(port, queue_of(row.target), now()));
    }
    into.paused_now = queue.paused;
    into[Field::pause_us] = queue.paused_for / sim::kUs;
    into[Field::rx_pfc] = queue.rx_xoff + queue.rx_xon;
    into[Field::rx_xoff] = queue.rx_xoff;
    into[Field::rx_xon] = queue.rx_xon;
    into[Field::on2off] = queue.pauses_ended;
    into[Field::tx_packets] = queue.tx_packets;
    into[Field::tx_bytes] = queue.tx_bytes;
    into[Field::tx_drops] = queue.tx_drops;
    into[Field::rx_packets] = group.rx_packets;
    into[Field::rx_drops] = group.rx_drops;
    into[Field::occupancy] = queue.bytes;
    into[Field::pause_tx] = queue.pause_sent;
}

std::uint8_t SwitchDevice::queue_of(const Target& target) const
{
    return view_.profile().queue_of_priority[target.priority->value];
}

Treatment SwitchDevice::shown(const Target& target) const
{
    const auto& set = view_.registers(port_of(target));
    return target.priority ? shown_by(queue_fields(set, bit_of(target))) : shown_by(port_fields(set));
}

// If a target is treated already, its former settings are unknown: the Undo holds the values of the profile.
Result<Undo> SwitchDevice::prepare(const Command& command)
{
    return check(command).map([&] {
        const bool known = shown(command.target) == Treatment::none;
        const auto& set = view_.registers(port_of(command.target));
        if (command.target.priority) {
            return to_undo(known ? queue_fields(set, bit_of(command.target)) : QueueFields{});
        }
        const bool enabled = set.enabled || shown(command.target) == Treatment::port_down;
        return to_undo(known ? port_fields(set)
                             : PortFields{view_.profile().max_frame_bytes, view_.lossless(), 0,
                                          static_cast<std::uint8_t>(enabled ? 1 : 0)});
    });
}

Result<void> SwitchDevice::apply(const Command& command, const Undo& undo)
{
    if (auto sound = check(command); !sound) {
        return sound;
    }
    const auto port = port_of(command.target);
    auto wanted = view_.registers(port);
    if (command.target.priority) {
        const auto before = from_undo<QueueFields>(undo);
        if (!before) {
            return tl::unexpected(before.error());
        }
        put(command.want == Treatment::none ? *before : queue_fields(command.want), bit_of(command.target), wanted);
    } else {
        const auto before = from_undo<PortFields>(undo);
        if (!before) {
            return tl::unexpected(before.error());
        }
        auto fields = treated(*before, command.want, view_.lossless());
        if (command.want != Treatment::port_down && shown(command.target) != Treatment::port_down) {
            fields.enabled = wanted.enabled ? 1 : 0;  // as others have set it meanwhile
        }
        put(fields, wanted);
    }
    if (!(wanted == view_.registers(port))) {
        view_.write(port, wanted, now());
    }
    return {};
}

Result<Treatment> SwitchDevice::read_back(const Target& target)
{
    return check(target).map([&] { return shown(target); });
}

void SwitchDevice::listen(NoticeSink& sink)
{
    view_.on_interrupt([this, &sink](const sim::Interrupt& interrupt, sim::Ps when) { report(interrupt, when, sink); });
}

void SwitchDevice::report(const sim::Interrupt& interrupt, sim::Ps when, NoticeSink& sink) const
{
    const auto at = seat().instant(when);
    const PortId port{seat().id, interrupt.port};
    const auto post_queues = [&](Notice::Kind kind) {
        for (const auto& row : inventory_.rows) {
            if (row.target.port == port && row.target.priority && queue_of(row.target) == interrupt.queue) {
                const auto has = intervals(row.target);
                sink.post({kind, row.target, at,
                           traits_.recovery_drops ? Treatment::drop_egress : Treatment::ignore_pause,
                           kind == Notice::Kind::detected ? has.detect : has.recover, has.recover});
            }
        }
    };
    switch (interrupt.kind) {
    case sim::Interrupt::Kind::deadlock: return post_queues(Notice::Kind::detected);
    case sim::Interrupt::Kind::recovered: return post_queues(Notice::Kind::recovered);
    case sim::Interrupt::Kind::link_up: return sink.post({Notice::Kind::link_up, {port, std::nullopt}, at});
    case sim::Interrupt::Kind::link_down: return sink.post({Notice::Kind::link_down, {port, std::nullopt}, at});
    case sim::Interrupt::Kind::pause_too_long: return;  // shows in the port's status, which is polled
    }
}

}  // namespace petrel::device::twin

#include "device/twin/nic_device.hpp"

#include <array>

namespace petrel::device::twin {

using watchdog::Command;
using watchdog::Field;
using watchdog::Fields;
using watchdog::Sample;
using watchdog::Treatment;

namespace {

constexpr Fields kPauseSent = bit(Field::pause_tx) | bit(Field::pause_tx_us);
constexpr Fields kNicFields = kPauseSent | bit(Field::rx_packets) | bit(Field::paused_now) | bit(Field::pause_us) |
                              bit(Field::rx_pfc) | bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::on2off);
constexpr watchdog::Treatments kNicDoes = bit(Treatment::mute_pause) | bit(Treatment::port_down);

struct NicFields {
    std::uint8_t pause_tx{0xff};
    std::uint8_t enabled{1};
    std::uint8_t muted{0xff};
};

std::uint8_t without(std::uint8_t priorities, std::uint8_t muted)
{
    return static_cast<std::uint8_t>(priorities & ~muted);
}

}  // namespace

NicDevice::NicDevice(sim::NicView view, const Seat& seat, const Traits& traits)
    : NodeDevice(seat), view_(view), links_(view, seat)
{
    capabilities_.fields = traits.fields & kNicFields;
    capabilities_.survive = capabilities_.fields & ~kPauseSent;  // a muted NIC sends none, whatever its pipeline does
    capabilities_.treatments = traits.treatments & kNicDoes;
    capabilities_.port_wide = kNicDoes;
    capabilities_.reads_back = traits.reads_back;
    capabilities_.reads_links = traits.reads_links;
    add_rows(0, view_.profile().lossless, bit(Field::rx_packets));
}

void NicDevice::sample(const watchdog::RowInfo& row, Sample& into)
{
    into.epoch = view_.link_up() ? view_.epoch() : 0;
    if (row.target.priority) {
        sample(row.target.priority->value, into);
        return;
    }
    std::array<Sample, kPriorities> each{};
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        sample(priority, each[priority]);
    }
    port_.combine(each, into);
    follow_stuck(each);
}

void NicDevice::follow_stuck(std::span<const Sample, kPriorities> each)
{
    if (view_.epoch() != epoch_) {
        epoch_ = view_.epoch();
        stuck_.reset();
    }
    std::uint64_t received = 0;
    for (const auto& priority : each) {
        received += priority[Field::rx_packets];
    }
    stuck_.take(each, received, seat().clock.now().mono);
    if (view_.pause_tx() != 0xff && (stuck_.priorities(kAlsoStuckAfter) & view_.pause_tx()) != 0) {
        muted_ = 0xff;
        view_.set_pause_tx(0, now());
    }
}

void NicDevice::sample(std::uint8_t priority, Sample& into) const
{
    const auto read = view_.read(priority, now());
    into.known = capabilities_.fields;
    into.paused_now = read.paused;
    into[Field::pause_us] = read.paused_for / sim::kUs;
    into[Field::rx_pfc] = read.rx_xoff + read.rx_xon;
    into[Field::rx_xoff] = read.rx_xoff;
    into[Field::rx_xon] = read.rx_xon;
    into[Field::on2off] = read.pauses_ended;
    into[Field::rx_packets] = read.taken;
    into[Field::pause_tx] = read.pause_sent;
    into[Field::pause_tx_us] = read.pausing_for / sim::kUs;
}

// The port may also be disabled by the policy of its link: that hides no treatment, and is none.
Treatment NicDevice::shown(const Target& target) const
{
    if (target.priority) {
        return Treatment::none;
    }
    const bool muted = want_ == Treatment::mute_pause ? (view_.pause_tx() & muted_) == 0 : view_.pause_tx() != 0xff;
    if (muted) {
        return Treatment::mute_pause;
    }
    const bool closed = !view_.enabled() && want_.value_or(Treatment::port_down) == Treatment::port_down;
    return closed ? Treatment::port_down : Treatment::none;
}

Result<Undo> NicDevice::prepare(const Command& command)
{
    return check(command).map([&] {
        const bool known = shown(command.target) == Treatment::none;
        const bool enabled = view_.enabled() || shown(command.target) == Treatment::port_down;
        NicFields fields{known ? view_.pause_tx() : std::uint8_t{0xff}, static_cast<std::uint8_t>(enabled ? 1 : 0)};
        const auto stuck = static_cast<std::uint8_t>(stuck_.priorities({}) & fields.pause_tx);
        fields.muted = stuck != 0 ? stuck : 0xff;
        return to_undo(fields);
    });
}

Result<void> NicDevice::apply(const Command& command, const Undo& undo)
{
    if (auto sound = check(command); !sound || command.target.priority) {
        return sound;  // treatments are port-wide: at a queue there is nothing to write
    }
    return from_undo<NicFields>(undo).map([&](const NicFields& before) {
        const bool closes = command.want == Treatment::port_down || shown(command.target) == Treatment::port_down;
        want_ = command.want;
        muted_ = before.muted;
        stuck_.reset();
        const auto pause_tx = want_ == Treatment::mute_pause ? without(view_.pause_tx(), muted_) : before.pause_tx;
        const bool enabled = closes ? want_ != Treatment::port_down && before.enabled != 0
                                    : view_.enabled();  // as others have set it meanwhile
        if (pause_tx != view_.pause_tx()) {
            view_.set_pause_tx(pause_tx, now());
        }
        if (enabled != view_.enabled()) {
            view_.set_enabled(enabled, now());
        }
    });
}

Result<Treatment> NicDevice::read_back(const Target& target)
{
    return check(target).map([&] { return shown(target); });
}

}  // namespace petrel::device::twin

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
};

NicFields treated(NicFields fields, Treatment t)
{
    if (t == Treatment::mute_pause) {
        fields.pause_tx = 0;
    } else if (t == Treatment::port_down) {
        fields.enabled = 0;
    }
    return fields;
}

}  // namespace

NicDevice::NicDevice(sim::NicView view, const Seat& seat, const Traits& traits) : NodeDevice(seat), view_(view)
{
    capabilities_.fields = traits.fields & kNicFields;
    capabilities_.survive = capabilities_.fields & ~kPauseSent;  // a muted NIC sends none, whatever its pipeline does
    capabilities_.treatments = traits.treatments & kNicDoes;
    capabilities_.port_wide = kNicDoes;
    capabilities_.reads_back = traits.reads_back;
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

Treatment NicDevice::shown(const Target& target) const
{
    if (target.priority) {
        return Treatment::none;
    }
    if (!view_.enabled()) {
        return Treatment::port_down;
    }
    return view_.pause_tx() == 0 ? Treatment::mute_pause : Treatment::none;
}

Result<Undo> NicDevice::prepare(const Command& command)
{
    return check(command).map([&] {
        const bool known = shown(command.target) == Treatment::none;
        return to_undo(known ? NicFields{view_.pause_tx(), view_.enabled()} : NicFields{});
    });
}

Result<void> NicDevice::apply(const Command& command, const Undo& undo)
{
    if (auto sound = check(command); !sound || command.target.priority) {
        return sound;  // treatments are port-wide: at a queue there is nothing to write
    }
    return from_undo<NicFields>(undo).map([&](const NicFields& before) {
        const auto wanted = treated(before, command.want);
        if (wanted.pause_tx != view_.pause_tx()) {
            view_.set_pause_tx(wanted.pause_tx, now());
        }
        if ((wanted.enabled != 0) != view_.enabled()) {
            view_.set_enabled(wanted.enabled != 0, now());
        }
    });
}

Result<Treatment> NicDevice::read_back(const Target& target)
{
    return check(target).map([&] { return shown(target); });
}

}  // namespace petrel::device::twin

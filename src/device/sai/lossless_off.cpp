#include "device/sai/lossless_off.hpp"

#include <algorithm>

namespace petrel::device::sai {

namespace {

using watchdog::Treatment;

constexpr abi::AttrId kSentPause = abi::port_attr::priority_flow_control_tx;

// Treater writes a queue's bit of the PFC mask, too; here the mask belongs to the port.
QueueSettings without_mask(QueueSettings settings)
{
    settings.honours_pause = 0;
    return settings;
}

bool is_lossless(const QueueObjects& queue, std::uint8_t priorities) { return (priorities & bit_of(queue)) != 0; }

}  // namespace

LosslessOff::LosslessOff(const Library& library, std::span<PortObjects> ports, Treater& treater)
    : library_(library), ports_(ports), treater_(treater)
{
    possible_ =
        std::ranges::all_of(ports_, [&](const PortObjects& port) { return port.queues.empty() || masks(port); });
    if (!possible_) {
        return;
    }
    for (const auto& port : ports_) {
        if (port.pfc == 0 && treatments_of_queues(port).any != 0) {
            treated_[port.port].lossless = usual_mask();
        }
    }
}

Result<std::uint8_t> LosslessOff::mask(const PortObjects& port, abi::AttrId id) const
{
    return library_.ports().get(port.port, id).map([](const abi::Value& value) { return value.u8; });
}

Result<LosslessOff::Masks> LosslessOff::masks(const PortObjects& port) const
{
    return mask(port, pause_mask_attribute(port)).and_then([&](std::uint8_t received) -> Result<Masks> {
        if (!port.separate) {
            return Masks{received, received};
        }
        return mask(port, kSentPause).map([&](std::uint8_t sent) { return Masks{received, sent}; });
    });
}

void LosslessOff::follow_mask(PortObjects& port) const
{
    const auto now = mask(port, pause_mask_attribute(port));
    if (now && !treats(port)) {
        port.pfc = *now | treater_.masked_out(port);
    }
}

std::uint8_t LosslessOff::lossless(const PortObjects& port) const
{
    constexpr std::uint8_t kAll = 0xff;
    if (const auto at = treated_.find(port.port); at != treated_.end()) {
        const auto before = at->second.lossless != 0 ? at->second.lossless : usual_mask();
        return before != 0 ? before : kAll;
    }
    const auto now = masks(port);
    if (!now) {
        return kAll;
    }
    const auto honoured = static_cast<std::uint8_t>(now->received | treater_.masked_out(port));
    const auto sent = static_cast<std::uint8_t>(port.separate ? now->sent : honoured);
    return sent != 0 ? honoured & sent : honoured;
}

Result<void> LosslessOff::set_mask(const PortObjects& port, abi::AttrId id, std::uint8_t wanted) const
{
    abi::Value value{};
    value.u8 = wanted;
    return library_.ports().set(port.port, id, value).and_then([&] {
        return mask(port, id).and_then([&](std::uint8_t shown) -> Result<void> {
            return shown == wanted ? Result<void>{} : tl::unexpected(no_effect("its PFC mask"));
        });
    });
}

LosslessOff::Treatments LosslessOff::treatments_of_queues(const PortObjects& port)
{
    Treatments found;
    for (const auto& queue : port.queues) {
        const auto set = treater_.read(port, queue);
        const auto shown = set ? treater_.shown_by(port, queue, *set) : Treatment::none;
        found.any |= shown != Treatment::none ? bit_of(queue) : std::uint8_t{0};
        found.drop |= shown == Treatment::drop ? bit_of(queue) : std::uint8_t{0};
    }
    return found;
}

// The mask of the first port that has one, for ports whose own mask an earlier process has overwritten.
std::uint8_t LosslessOff::usual_mask() const
{
    const auto other = std::ranges::find_if(ports_, [](const PortObjects& port) { return port.pfc != 0; });
    return other == ports_.end() ? std::uint8_t{0} : other->pfc;
}

PortSettings LosslessOff::usual(const PortObjects& port) const
{
    PortSettings set;
    set.pfc = set.pfc_tx = port.pfc != 0 ? port.pfc : usual_mask();
    for (const auto& queue : port.queues) {
        set.queues[queue.priority.value] = treater_.usual(port, queue);
    }
    return set;
}

// If the port or a queue is treated already, its former settings are not known: the default settings replace them.
Result<PortSettings> LosslessOff::before(const PortObjects& port)
{
    auto found = usual(port);
    if (treats(port)) {
        return found;
    }
    const auto now = masks(port);
    if (!now) {
        return tl::unexpected(now.error());
    }
    found.pfc = now->received;
    found.pfc_tx = now->sent;
    for (const auto& queue : port.queues) {
        const auto set = treater_.read(port, queue);
        if (!set) {
            return tl::unexpected(set.error());
        }
        if (treater_.shown_by(port, queue, *set) == Treatment::none) {
            found.queues[queue.priority.value] = *set;
        }
    }
    return found;
}

// If the library refuses a part, nothing of it stays: a weaker treatment follows.
Result<void> LosslessOff::switch_off(PortObjects& port, const PortSettings& before)
{
    auto done = try_to_switch_off(port, before);
    if (!done && done.error().kind == ErrorKind::unsupported) {
        static_cast<void>(restore(port, before));  // if that fails, the port shows it
    }
    return done;
}

Result<void> LosslessOff::try_to_switch_off(const PortObjects& port, const PortSettings& before)
{
    if (before.lossless() == 0) {
        return tl::unexpected(Error{ErrorKind::unsupported, "PFC is off on this port: it has no lossless mode"});
    }
    const auto [at, first] = treated_.try_emplace(port.port);
    auto& treated = at->second;
    if (first) {
        if (auto noted = note_own_treatments(port, before, treated); !noted) {
            treated_.erase(at);
            return noted;
        }
    }
    treated.lossless = before.lossless();
    treated.under_way = true;
    auto done = set_mask(port, pause_mask_attribute(port), 0);
    if (done && port.separate) {
        done = set_mask(port, kSentPause, 0);
    }
    for (const auto& queue : port.queues) {
        if (done && is_lossless(queue, before.lossless())) {
            done = treater_.write(port, queue, Treatment::drop, without_mask(before.queues[queue.priority.value]));
        }
    }
    return done;
}

Result<void> LosslessOff::note_own_treatments(const PortObjects& port, const PortSettings& before, Treated& treated)
{
    for (const auto& queue : port.queues) {
        const auto now = treater_.read(port, queue);
        if (!now) {
            return tl::unexpected(now.error());
        }
        if (const auto shown = treater_.shown_by(port, queue, *now); shown != Treatment::none) {
            treated.own[queue.priority.value] = {shown, before.queues[queue.priority.value]};
        }
    }
    return {};
}

// Without a trace of lossless_off in the queues, only the mask can be left.
Result<void> LosslessOff::restore(PortObjects& port, const PortSettings& before)
{
    const auto entry = treated_.try_emplace(port.port);
    const auto at = entry.first;
    const bool untreated = entry.second;
    at->second.under_way = true;
    auto done = masks(port).and_then([&](const Masks& now) -> Result<void> {
        if (untreated && now.received != 0) {
            return {};
        }
        auto restored = untreated ? Result<void>{} : restore_queues(port, before, at->second);
        if (restored && port.separate) {
            restored = set_mask(port, kSentPause, before.pfc_tx);
        }
        return restored ? set_mask(port, pause_mask_attribute(port), before.pfc) : restored;
    });
    if (done) {
        port.pfc = before.pfc;
        treated_.erase(at);
    }
    return done;
}

Result<void> LosslessOff::restore_queues(const PortObjects& port, const PortSettings& before, const Treated& treated)
{
    for (const auto& queue : port.queues) {
        const auto own = treated.own.find(queue.priority.value);
        if (own == treated.own.end() && !is_lossless(queue, before.lossless())) {
            continue;
        }
        const auto after =
            own == treated.own.end() ? Own{Treatment::none, before.queues[queue.priority.value]} : own->second;
        if (auto done = treater_.write(port, queue, after.want, without_mask(after.before)); !done) {
            return done;
        }
    }
    return {};
}

Result<Treatment> LosslessOff::shown(const PortObjects& port)
{
    const auto at = treated_.find(port.port);
    if (at == treated_.end()) {
        return Treatment::none;
    }
    return masks(port).map([&](const Masks& now) {
        const auto& treated = at->second;
        const auto queues = treatments_of_queues(port);
        if (queues.any == 0 && !treated.under_way) {
            return Treatment::none;
        }
        const auto wanted = treated.lossless != 0 ? treated.lossless : queues.any;
        const bool whole = wanted != 0 && (queues.drop & wanted) == wanted && (now.received | now.sent) == 0;
        return whole ? Treatment::lossless_off : Treatment::ignore_pause;
    });
}

void LosslessOff::postpone(const PortObjects& port, const QueueObjects& queue, Treatment want,
                           const QueueSettings& before)
{
    treated_.at(port.port).own[queue.priority.value] = {want, before};
}

Treatment LosslessOff::postponed(const PortObjects& port, const QueueObjects& queue) const
{
    const auto& own = treated_.at(port.port).own;
    const auto at = own.find(queue.priority.value);
    return at == own.end() ? Treatment::none : at->second.want;
}

}  // namespace petrel::device::sai

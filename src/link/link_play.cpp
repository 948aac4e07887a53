#include "link/link_play.hpp"

#include <fmt/format.h>

#include "link/reasons.hpp"

namespace petrel::link {
namespace {

Side other(Side side) { return side == Side::a ? Side::b : Side::a; }

constexpr std::array kSides{Side::a, Side::b};

PortId port_of(Side side) { return {DeviceId{static_cast<std::uint32_t>(side)}, 0}; }

}  // namespace

std::optional<std::string> LinkPlay::act(const ScriptEvent& event)
{
    auto ignored = std::visit([this](const auto& one) { return on(one); }, event);
    settle();
    return ignored;
}

void LinkPlay::restart_manager(const PortHistory& a, const PortHistory& b)
{
    keeper_ = LinkKeeper{FlapPolicy{std::chrono::seconds::zero(), 0}, {{port_of(Side::a), a}, {port_of(Side::b), b}}};
}

LinkReading LinkPlay::read(Side side) const { return end(side).read(); }

const PortHistory& LinkPlay::history(Side side) { return keeper_.history(port_of(side)); }

std::uint64_t LinkPlay::ignored_errors(Side side) const { return end(side).ignored_errors(); }

LinkPlay::Ignored LinkPlay::on(const Down& down)
{
    const bool was_up = up();
    const auto reaction = end(down.at).take_down(down.reason, now_);
    if (!reaction.accepted) {
        return because_of_state();
    }
    if (was_up) {
        reach(other(down.at), down.delivered ? reaction.send_to_peer : std::nullopt);
    }
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const DownBoth& down)
{
    if (!up()) {
        return because_of_state();
    }
    const auto from_a = end(Side::a).take_down(down.a, now_).send_to_peer;
    const auto from_b = end(Side::b).take_down(down.b, now_).send_to_peer;
    reach(Side::b, down.a_delivered ? from_a : std::nullopt);
    reach(Side::a, down.b_delivered ? from_b : std::nullopt);
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const Loss&)
{
    if (!up()) {
        return because_of_state();
    }
    reach(Side::a, std::nullopt);
    reach(Side::b, std::nullopt);
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const PowerLoss& loss)
{
    end(loss.at).lose_power();
    reach(other(loss.at), std::nullopt);
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const Up&)
{
    if (up()) {
        return because_of_state();
    }
    for (const auto side : kSides) {
        end(side).poll();
        end(side).find_signal();
        end(side).finish_training();
    }
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const Arm&)
{
    for (const auto side : kSides) {
        if (read(side).state != LinkState::init) {
            return because_of_state();
        }
    }
    for (const auto side : kSides) {
        if (const auto ack = keeper_.arm(report(side), now_)) {
            end(side).arm(*ack);
        }
    }
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const Activate&)
{
    for (const auto side : kSides) {
        if (!end(side).activate().accepted) {
            return because_of_state();
        }
    }
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const TrainingFailure& failure)
{
    if (up()) {
        return because_of_state();
    }
    end(failure.at).poll();
    end(failure.at).find_signal();
    end(failure.at).fail_training();
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const Receive& received)
{
    const auto reaction = end(received.at).receive(received.reason, now_);
    if (reaction.accepted) {
        reach(other(received.at), std::nullopt);
        return std::nullopt;
    }
    return reaction.late ? on(LateReason{received.at, *reaction.late}) : because_of_state();
}

LinkPlay::Ignored LinkPlay::on(const LateReason& late)
{
    const auto reading = read(late.at);
    if (late.reason == kNoReason) {
        return "0 is no reason";
    }
    if (!reading.last_recorded) {
        return reading.registers.seq == 0 ? "that end has not gone down for a reason yet"
                                          : "the last time that end went down has no number";
    }
    keeper_.correlate(port_of(late.at), reading.registers.seq, late.reason);
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const Write& write)
{
    if (end(write.at).write(write.ldr, write.nldr, write.ack).accepted) {
        return std::nullopt;
    }
    const auto seq = read(write.at).registers.seq;
    return write.ack ? fmt::format("it acknowledges event {}, the registers are at event {}", *write.ack, seq)
                     : fmt::format("it acknowledges no event, the registers are at event {}", seq);
}

LinkPlay::Ignored LinkPlay::on(const PortError& error)
{
    const auto reaction = end(error.at).meet_error(error.bit, now_);
    if (!reaction.accepted) {
        return because_of_state();
    }
    if (!up()) {
        reach(other(error.at), reaction.send_to_peer);
    }
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const Mask& mask)
{
    if (end(mask.at).set_mask(mask.value)) {
        return std::nullopt;
    }
    return fmt::format("the manager refuses a mask with reserved bits (0x{:x})", refused_bits(mask.value));
}

LinkPlay::Ignored LinkPlay::on(const Sweep& sweep)
{
    now_ = WallTime{std::chrono::seconds{sweep.time}};
    keeper_.sweep(std::array{report(Side::a), report(Side::b)}, now_);
    return std::nullopt;
}

LinkPlay::Ignored LinkPlay::on(const ManagerRestart&)
{
    restart_manager(PortHistory{history(Side::a)}, PortHistory{history(Side::b)});
    return std::nullopt;
}

bool LinkPlay::up() const { return is_up(read(Side::a).state) && is_up(read(Side::b).state); }

LinkPlay::Ignored LinkPlay::because_of_state() const
{
    return fmt::format("A is {}, B is {}", logical_name(read(Side::a).state), logical_name(read(Side::b).state));
}

// A switch is managed out of band, a NIC over its own link.
PortReport LinkPlay::report(Side side) const
{
    const auto reading = read(side);
    return {port_of(side), reading, side == Side::a || is_up(reading.state)};
}

void LinkPlay::reach(Side side, const std::optional<std::uint8_t>& reason)
{
    if (reason) {
        end(side).receive(*reason, now_);
    } else {
        end(side).lose_signal(now_);
    }
}

void LinkPlay::settle()
{
    for (const auto side : kSides) {
        end(side).close_window();
    }
}

}  // namespace petrel::link

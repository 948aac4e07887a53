#include "link/link_end.hpp"

#include "base/assert.hpp"
#include "link/reasons.hpp"

namespace petrel::link {
namespace {

constexpr Reaction kAccepted{true, std::nullopt, std::nullopt};
constexpr Reaction kIgnored{};

// Where a port waits after it went down for this reason.
LinkState resting_state(std::uint8_t code)
{
    if (code == kSwitchManagement || code == kManagerDisabled) {
        return LinkState::disabled;
    }
    const auto& why = reason(code);
    return why.known() && why.cause_class == CauseClass::offline_disabled ? LinkState::offline : LinkState::polling;
}

// A port that must stay offline or disabled stays there, whatever other codes the same event has.
LinkState stricter(LinkState a, LinkState b)
{
    if (a == LinkState::disabled || b == LinkState::disabled) {
        return LinkState::disabled;
    }
    return a == LinkState::offline ? a : b;
}

}  // namespace

Reaction LinkEnd::take_down(std::uint8_t code, WallTime now)
{
    const auto rest = resting_state(code);
    if (!is_up(state_) && !window_open_) {
        if (rest == LinkState::polling || stricter(state_, rest) == state_) {
            return kIgnored;
        }
        state_ = rest;
        return kAccepted;
    }
    auto reaction = kAccepted;
    if (is_up(state_)) {
        leave_up(now);
        reaction.send_to_peer = reason(code).local_only ? std::nullopt : std::optional{code};
    }
    ours_ = true;
    rest_ = stricter(rest_, rest);
    record(registers_.ldr, code);
    return reaction;
}

Reaction LinkEnd::receive(std::uint8_t code, WallTime now)
{
    if (is_up(state_)) {
        leave_up(now);
    } else if (!window_open_) {
        return code == kNoReason || !captured_ ? kIgnored : Reaction{false, std::nullopt, code};
    }
    record(registers_.nldr, code);
    protocol_violation_ = protocol_violation_ || (!frozen_ && reason(code).local_only);
    return kAccepted;
}

Reaction LinkEnd::lose_signal(WallTime now)
{
    if (is_up(state_)) {
        leave_up(now);
    } else if (state_ == LinkState::training) {
        state_ = LinkState::polling;
    } else if (!window_open_) {
        return kIgnored;
    }
    return kAccepted;
}

Reaction LinkEnd::close_window()
{
    if (!window_open_) {
        return kIgnored;
    }
    if (!ours_ && !explained_) {
        record(registers_.ldr, kNeighborUnknown);
    }
    window_open_ = false;
    state_ = rest_;
    return kAccepted;
}

Reaction LinkEnd::poll()
{
    const bool waits = state_ == LinkState::disabled || (state_ == LinkState::offline && !window_open_);
    if (!waits) {
        return kIgnored;
    }
    state_ = LinkState::polling;
    return kAccepted;
}

Reaction LinkEnd::find_signal()
{
    if (state_ != LinkState::polling) {
        return kIgnored;
    }
    state_ = LinkState::training;
    return kAccepted;
}

Reaction LinkEnd::finish_training(LinkShape shape)
{
    if (state_ != LinkState::training) {
        return kIgnored;
    }
    state_ = LinkState::init;
    came_up_ = shape;
    return kAccepted;
}

Reaction LinkEnd::fail_training()
{
    if (state_ != LinkState::training) {
        return kIgnored;
    }
    state_ = LinkState::polling;
    return kAccepted;
}

// The sequence number survives a power loss: the manager would take a new event with an old number for one it has
// already logged.
Reaction LinkEnd::lose_power()
{
    registers_ = {0, 0, registers_.seq};
    suppressed_ = 0;
    protocol_violation_ = false;
    captured_ = captured_ && !window_open_ && !is_up(state_);
    window_open_ = false;
    state_ = LinkState::offline;
    return kAccepted;
}

Reaction LinkEnd::arm(std::uint64_t ack)
{
    if (state_ != LinkState::init || ack != registers_.seq) {
        return kIgnored;
    }
    write(0, 0, ack);
    state_ = LinkState::armed;
    return kAccepted;
}

Reaction LinkEnd::activate()
{
    if (state_ != LinkState::armed) {
        return kIgnored;
    }
    state_ = LinkState::active;
    return kAccepted;
}

Reaction LinkEnd::write(std::uint8_t ldr, std::uint8_t nldr, std::optional<std::uint64_t> ack)
{
    if (window_open_ || ack != registers_.seq) {
        return kIgnored;
    }
    registers_.ldr = ldr == 0 ? std::uint8_t{0} : registers_.ldr;
    registers_.nldr = nldr == 0 ? std::uint8_t{0} : registers_.nldr;
    return kAccepted;
}

Reaction LinkEnd::meet_error(std::uint8_t bit, WallTime now)
{
    PETREL_ASSERT(bit < kPortErrorBits, "error bit {}", bit);
    if (!is_up(state_)) {
        return kIgnored;
    }
    if (acts_on(mask_, bit)) {
        return take_down(code_of_error(bit), now);
    }
    ++ignored_errors_;
    return kAccepted;
}

Reaction LinkEnd::change_shape(LinkShape shape, WallTime now)
{
    if (!is_up(state_)) {
        return kIgnored;
    }
    const auto code = refuses(shape);
    return code ? take_down(*code, now) : kAccepted;
}

bool LinkEnd::set_mask(PortErrorMask mask)
{
    if (refused_bits(mask) != 0) {
        return false;
    }
    mask_ = mask;
    return true;
}

LinkReading LinkEnd::read() const
{
    return {registers_, state_, !window_open_, event_at_, suppressed_, protocol_violation_, captured_};
}

void LinkEnd::leave_up(WallTime now)
{
    state_ = LinkState::offline;
    rest_ = LinkState::polling;
    window_open_ = true;
    window_at_ = now;
    frozen_ = !registers_.clear();
    captured_ = ours_ = explained_ = false;
}

// Both registers belong to one event: until an older event is cleared, neither is written, even if it is 0.
void LinkEnd::record(std::uint8_t& field, std::uint8_t code)
{
    if (code == kNoReason) {
        return;
    }
    explained_ = true;
    if (frozen_ || field != kNoReason) {
        ++suppressed_;
        return;
    }
    begin_event();
    field = code;
}

void LinkEnd::begin_event()
{
    if (captured_) {
        return;
    }
    captured_ = true;
    ++registers_.seq;
    event_at_ = window_at_;
    suppressed_ = 0;
    protocol_violation_ = false;
}

std::string_view physical_name(LinkState state)
{
    switch (state) {
    case LinkState::offline: return "Offline";
    case LinkState::disabled: return "Disabled";
    case LinkState::polling: return "Polling";
    case LinkState::training: return "Training";
    case LinkState::init:
    case LinkState::armed:
    case LinkState::active: break;
    }
    return "LinkUp";
}

std::string_view logical_name(LinkState state)
{
    switch (state) {
    case LinkState::init: return "init";
    case LinkState::armed: return "armed";
    case LinkState::active: return "active";
    case LinkState::offline:
    case LinkState::disabled:
    case LinkState::polling:
    case LinkState::training: break;
    }
    return "down";
}

}  // namespace petrel::link

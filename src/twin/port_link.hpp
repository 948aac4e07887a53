// Why this end of a link last went down, in simulated time: a LinkEnd whose event window closes by itself. Switch ports
// and NICs use it. Both take the link down if it trains, or loses lanes, outside the port's policy. The ends of a link
// can exchange reasons: a transmitter that is switched off may send a reason (LinkGoingDown) after its last frame.
#pragma once

#include <cstdint>
#include <optional>

#include "link/link_end.hpp"
#include "link/reasons.hpp"
#include "twin/packet.hpp"
#include "twin/sim_time.hpp"

namespace petrel::twin {

using SentReason = std::optional<std::uint8_t>;  // a reason, or none was sent

// How a port's transmitter is switched off.
struct PortDown {
    std::uint8_t reason{};
    bool send_reason{true};  // the reason is sent to the peer
};

// A link has four lanes. It trains with all of them or with fewer.
inline constexpr std::uint8_t kLanes = 4;

inline link::LinkShape link_shape(BitRate speed, std::uint8_t lanes) { return {lanes, lanes, {speed.bps / lanes}}; }

// The far end's transmitter was switched on, or off with or without a reason.
inline Packet signal_packet(bool on, SentReason reason)
{
    Packet signal;
    signal.seq_ttl = on ? 1 : 0;
    signal.flow = reason ? *reason + 1U : 0;
    signal.hash_kind = static_cast<std::uint16_t>(Kind::signal);
    return signal;
}

inline SentReason sent_reason(const Packet& signal)
{
    return signal.flow == 0 ? SentReason{} : SentReason{static_cast<std::uint8_t>(signal.flow - 1)};
}

class PortLink {
public:
    // Returns the reason to send.
    SentReason take_down(const PortDown& down, Ps now)
    {
        settle(now);
        note_down();
        const auto reason = end_.take_down(down.reason, wall(now)).send_to_peer;
        await_quiet(now);
        return down.send_reason ? reason : std::nullopt;
    }

    void lose_signal(SentReason reason, Ps now)
    {
        settle(now);
        note_down();
        if (reason)
            end_.receive(*reason, wall(now));
        else
            end_.lose_signal(wall(now));
        await_quiet(now);
    }

    void lose_power()
    {
        note_down();
        end_.lose_power();
        quiet_at_ = kForever;
    }

    void come_up(const link::LinkShape& shape)
    {
        end_.close_window();
        quiet_at_ = kForever;
        end_.poll();
        end_.find_signal();
        end_.finish_training(shape);
    }

    void set_policy(const link::LinkPolicy& policy) { end_.set_policy(policy); }
    // The reason for which the port takes down a link of this shape; none: its policy allows the shape.
    SentReason refuses(const link::LinkShape& shape) const { return end_.refuses(shape); }
    bool went_down() const { return went_down_; }  // since the start

    // A manager's operations. Traffic does not wait for them.
    bool arm(std::uint64_t ack) { return end_.arm(ack).accepted; }
    bool activate() { return end_.activate().accepted; }

    link::LinkReading read(Ps now)
    {
        settle(now);
        return end_.read();
    }

private:
    // Long enough to receive, over any cable, the reason of a far end that went down at the same time.
    static constexpr Ps kQuietAfter = kMs;

    static WallTime wall(Ps now) { return WallTime{std::chrono::microseconds{now / kUs}}; }

    void note_down() { went_down_ = went_down_ || link::is_up(end_.read().state); }

    void await_quiet(Ps now)
    {
        if (!end_.read().settled && quiet_at_ == kForever)
            quiet_at_ = now + kQuietAfter;
    }

    void settle(Ps now)
    {
        if (now >= quiet_at_) {
            end_.close_window();
            quiet_at_ = kForever;
        }
    }

    link::LinkEnd end_{link::LinkState::active};
    Ps quiet_at_{kForever};
    bool went_down_{};
};

}  // namespace petrel::twin

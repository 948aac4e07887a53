// Why this end of a link last went down, in the twin's time: a LinkEnd whose event window closes by itself. Switch
// ports and NICs share it. On a link in the twin ends can tell each other: a transmitter that goes off may leave a word
// behind its last frame (LinkGoingDown).
#pragma once

#include <cstdint>
#include <optional>

#include "link/link_end.hpp"
#include "link/reasons.hpp"
#include "twin/packet.hpp"
#include "twin/sim_time.hpp"

namespace petrel::twin {

using LinkWord = std::optional<std::uint8_t>;  // a reason, or nothing was said

// How a port's transmitter goes off.
struct Farewell {
    std::uint8_t reason{};
    bool told{true};  // the word gets onto the link
};

// The far end's transmitter went on, or off with or without a word.
inline Packet signal_packet(bool on, LinkWord word)
{
    Packet signal;
    signal.seq_ttl = on ? 1 : 0;
    signal.flow = word ? *word + 1U : 0;
    signal.hash_kind = static_cast<std::uint16_t>(Kind::signal);
    return signal;
}

inline LinkWord word_of(const Packet& signal)
{
    return signal.flow == 0 ? LinkWord{} : LinkWord{static_cast<std::uint8_t>(signal.flow - 1)};
}

class PortLink {
public:
    // The word to send.
    LinkWord take_down(const Farewell& farewell, Ps now)
    {
        settle(now);
        const auto word = end_.take_down(farewell.reason, wall(now)).tell_peer;
        await_quiet(now);
        return farewell.told ? word : std::nullopt;
    }

    void lose_signal(LinkWord word, Ps now)
    {
        settle(now);
        if (word)
            end_.hear(*word, wall(now));
        else
            end_.lose_signal(wall(now));
        await_quiet(now);
    }

    void lose_power()
    {
        end_.lose_power();
        quiet_at_ = kForever;
    }

    void come_up()
    {
        end_.close_window();
        quiet_at_ = kForever;
        end_.poll();
        end_.find_signal();
        end_.finish_training();
    }

    // What a manager may do; traffic does not wait for it.
    bool arm(std::uint64_t ack) { return end_.arm(ack).accepted; }
    bool activate() { return end_.activate().accepted; }

    link::LinkReading read(Ps now)
    {
        settle(now);
        return end_.read();
    }

private:
    // Long enough for the word of an end that went down at the same moment, over any cable.
    static constexpr Ps kQuietAfter = kMs;

    static WallTime wall(Ps now) { return WallTime{std::chrono::microseconds{now / kUs}}; }

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
};

}  // namespace petrel::twin

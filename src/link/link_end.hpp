// One end of a link: its states, and the two registers with the reasons why it last went down. The caller (the twin, a
// script or a test) models the other end and decides whether messages between the ends arrive.
//
//   input             offline  disabled  polling   training  init    armed   active
//   take_down(c)      (1)      -         (1)       (1)       down    down    down      sends c to the peer
//   receive(c)        (2)      (2)       (2)       (2)       down    down    down
//   lose_signal       -        -         -         polling   down    down    down
//   poll              polling  polling   -         -         -       -       -
//   find_signal       -        -         training  -         -       -       -
//   finish_training   -        -         -         init      -       -       -
//   fail_training     -        -         -         polling   -       -       -
//   lose_power        offline  offline   offline   offline   offline offline offline   registers 0, 0
//   arm(ack)          -        -         -         -         armed   -       -         clears the registers
//   activate          -        -         -         -         -       active  -
//
// "-" is not accepted and changes nothing. (1): a code that ends in Offline or Disabled takes the port there; no reason
// is recorded, because the link was not up. (2): the code is too late for the registers. If the last event of the port
// has a number, the manager stores the code with that event. If the last event was only counted, the code is ignored,
// because it would be stored with an older event. "down" opens the event window: the port is offline, and everything
// that it receives or does now belongs to the same event. close_window() ends the window, and the port enters the state
// that the reason requires.
//
// The registers: LDR keeps the first local code of an event, NLDR the first code from the neighbour. If the window
// closes without any code, LDR becomes 36. Then both registers are frozen until the manager clears them with the
// event's sequence number. Until then, further codes only increase the count of suppressed causes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.hpp"
#include "link/link_policy.hpp"
#include "link/port_error_action.hpp"

namespace petrel::link {

// Down has four physical states; LinkUp has three logical ones.
enum class LinkState : std::uint8_t { offline, disabled, polling, training, init, armed, active };

constexpr bool is_up(LinkState state) { return state >= LinkState::init; }
std::string_view physical_name(LinkState);  // "Polling"
std::string_view logical_name(LinkState);   // "down"

struct Registers {
    std::uint8_t ldr{};
    std::uint8_t nldr{};
    std::uint64_t seq{};  // of the event that they describe, or described before they were cleared; 0 = no event yet

    bool clear() const { return ldr == 0 && nldr == 0; }
    bool operator==(const Registers&) const = default;
};

// Everything that can be read from an end.
struct LinkReading {
    Registers registers;
    LinkState state{};
    bool settled{true};          // no event window is open: the pair is final
    WallTime event_at{};         // when the event began
    std::uint32_t suppressed{};  // causes that were not recorded because the registers were in use
    bool protocol_violation{};   // the neighbour sent a code that is not for neighbours
    bool last_recorded{};        // registers.seq is the last time the link went down, not an earlier one
};

struct Reaction {
    bool accepted{};
    std::optional<std::uint8_t> send_to_peer;  // LinkGoingDown, with this code
    std::optional<std::uint8_t> late;          // a neighbour's reason, too late for the registers: for the manager
};

class LinkEnd {
public:
    explicit LinkEnd(LinkState state = LinkState::offline) : state_(state) {}

    Reaction take_down(std::uint8_t code, WallTime now);
    Reaction receive(std::uint8_t code, WallTime now);  // LinkGoingDown arrives; code 0 = no reason
    Reaction lose_signal(WallTime now);
    Reaction close_window();

    Reaction poll();
    Reaction find_signal();
    Reaction finish_training(LinkShape = {});
    Reaction fail_training();
    Reaction lose_power();

    // Not accepted unless `ack` is the number of the event that would be cleared.
    Reaction arm(std::uint64_t ack);
    Reaction activate();

    // A value of 0 clears that register, any other value leaves it. Not accepted unless `ack` is the number of the
    // event.
    Reaction write(std::uint8_t ldr, std::uint8_t nldr, std::optional<std::uint64_t> ack);

    // An error on the link, and a change of its width or speed: both may take it down.
    Reaction meet_error(std::uint8_t bit, WallTime now);
    Reaction change_shape(LinkShape, WallTime now);

    // Returns false and changes nothing if the mask has reserved bits.
    bool set_mask(PortErrorMask);
    void set_policy(LinkPolicy policy) { policy_ = policy; }
    // The reason for which the port takes down a link of this shape; none: its policy allows the shape.
    std::optional<std::uint8_t> refuses(const LinkShape& shape) const
    {
        return out_of_policy(policy_, came_up_, shape);
    }

    LinkReading read() const;
    std::uint64_t ignored_errors() const { return ignored_errors_; }

private:
    void leave_up(WallTime now);
    void record(std::uint8_t& field, std::uint8_t code);
    void begin_event();

    LinkState state_;
    Registers registers_;
    WallTime event_at_{};
    std::uint32_t suppressed_{};
    bool protocol_violation_{};

    // Of the event window.
    bool window_open_{};
    bool frozen_{};     // the registers still hold an older event
    bool captured_{};   // this event has a number; valid until the next event
    bool ours_{};       // this end took the link down
    bool explained_{};  // some code was given, recorded or not
    WallTime window_at_{};
    LinkState rest_{LinkState::polling};

    PortErrorMask mask_{kDefaultPortErrorMask};
    LinkPolicy policy_;
    LinkShape came_up_;
    std::uint64_t ignored_errors_{};
};

}  // namespace petrel::link

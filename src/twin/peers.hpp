// Other processes that run the same twin. Each process builds the whole twin and runs its own share of the nodes. This
// interface carries the frames on links between shares; implementations choose the transport.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "twin/packet.hpp"
#include "twin/sim_time.hpp"

namespace petrel::twin {

// A frame on a link that ends in another process's share.
struct BorderFrame {
    Ps at{};  // last bit at the receiver
    Packet packet;
    std::uint32_t node{};  // the receiver
    std::uint32_t port{};
};
static_assert(std::is_trivially_copyable_v<BorderFrame> && sizeof(BorderFrame) == 32);

// The state of one process, or of all of them, after a window.
struct Outlook {
    Ps earliest{kForever};  // time of the next event
    bool done{};            // the goal of the run is reached
};

// Contract: all processes make the same calls in the same order; a call returns when all of them have made it.
class Peers {
public:
    virtual ~Peers() = default;

    virtual unsigned count() const = 0;
    virtual unsigned rank() const = 0;  // the number of this process, from 0

    // Called once per window. outgoing[r] goes to process r. `incoming` is replaced by the frames from the other
    // processes; frames of one process keep their order. Returns the earliest time of all processes, and done if all
    // are done.
    virtual Outlook exchange(const Outlook& ours, std::span<const std::vector<BorderFrame>> outgoing,
                             std::vector<BorderFrame>& incoming) = 0;

    // Returns the values of all processes, by rank.
    virtual std::vector<std::string> gather(std::string_view ours) = 0;
};

}  // namespace petrel::twin

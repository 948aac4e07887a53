// Other processes that run the same twin. Each builds all of it and runs its own share of the nodes; frames on links
// between shares travel here. The twin does not know what carries them.
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

// How far one process, or all of them, can see.
struct Outlook {
    Ps earliest{kForever};  // nothing happens before
    bool done{};            // what the run is for has been reached
};

// Contract: all processes make the same calls in the same order; a call returns when all of them have made it.
class Peers {
public:
    virtual ~Peers() = default;

    virtual unsigned count() const = 0;
    virtual unsigned rank() const = 0;  // which of them this is, from 0

    // Once a window. outgoing[r] goes to process r; `incoming` is replaced by what the others sent here, the frames of
    // each in their order. Returns the earliest of all outlooks, done if all are.
    virtual Outlook exchange(const Outlook& ours, std::span<const std::vector<BorderFrame>> outgoing,
                             std::vector<BorderFrame>& incoming) = 0;

    // What every process gave, by rank.
    virtual std::vector<std::string> gather(std::string_view ours) = 0;
};

}  // namespace petrel::twin

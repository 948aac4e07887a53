// What the two ends of a link report about it: each time that it went down, with the reason, and when it came up again.
// A pure function of the set of messages, in whatever order and however often they arrive. Events are ordered by their
// positions, never by time: clocks jump.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fabric/message.hpp"
#include "link/flap_guard.hpp"

namespace petrel::fabric {

// One time that a link went down, as one end reported it.
struct LinkDown {
    std::uint64_t number{};  // of the event at its port; 0: the agent does not number events
    link::Canonical cause{};
    std::uint8_t ldr{};                // the registers of the port
    std::optional<std::uint8_t> nldr;  // none: the device cannot receive the reason of its neighbour
    WallTime at{};                     // by the clock of the device
    WallTime observed_at{};            // by the manager's clock
    std::optional<WallTime> up_at;     // none: the link is still down, or its return was not reported
    // Why the far end took the link down at that time, as its own agent reported it; kNoReason: not known.
    link::Canonical far_cause{link::kNoReason};
    std::string list;  // the vendor's list of codes, and the code; empty: none
    std::optional<std::uint64_t> code;
    std::string text;
    bool operator==(const LinkDown&) const = default;
};

using LinkDowns = std::vector<LinkDown>;  // the oldest first

// The messages of one source about the link of one port.
class LinkLog {
public:
    static constexpr std::size_t kMessagesKept = 128;  // the oldest are dropped

    void put(const Message&);
    LinkDowns downs() const;
    Position last() const { return messages_.rbegin()->first.position; }

private:
    std::map<Message, WallTime> messages_;  // without the time at which they were first observed, and that time
};

// Clocks and polls of two agents differ by less. What one end reports later belongs to another event.
inline constexpr std::chrono::seconds kSameEventWithin{5};

// Finds the events of both ends that are one event, and tells each end the reason of the other.
void join_ends(LinkDowns&, LinkDowns&);

bool is_quarantined(const LinkDowns&, WallTime now, const link::FlapPolicy& = {});

// The events of which the manager knows the reason and the end, from this number on without a gap: the last of them may
// be cleared at its port. None: event `first` is not known, or has not ended.
std::optional<std::uint64_t> may_be_cleared(const LinkDowns&, std::uint64_t first);

}  // namespace petrel::fabric

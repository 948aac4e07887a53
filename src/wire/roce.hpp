// What a frame of the twin would look like on a real wire: RoCEv2, so that captures open in the usual tools. Addresses
// are made from host numbers, the queue pair is the flow's number, the PSN its sequence. Bytes only for captures.
#pragma once

#include <cstdint>
#include <optional>

#include "wire/bytes.hpp"

namespace petrel::wire {

struct RoceFrame {
    enum class Kind : std::uint8_t { data, ack, nak, cnp };

    Kind kind{};
    std::uint32_t from{};  // numbers of hosts and flow: 24 bits of each are shown
    std::uint32_t to{};
    std::uint32_t flow{};
    std::uint32_t seq{};
    std::uint32_t frame_bytes{};  // with the FCS, without preamble and gap
    std::uint8_t dscp{};
    std::uint8_t ecn{};
    std::uint8_t ttl{64};
    std::optional<std::uint8_t> pcp{};  // given: with an 802.1Q priority tag
};

struct Capture {
    Bytes bytes;                  // the first snap_length bytes
    std::uint32_t frame_bytes{};  // how long the frame was, without the FCS
};

// A frame too short for its own headers (64-byte acknowledgements in a model) is shown as long as they are.
Capture capture(const RoceFrame&, std::size_t snap_length);

// 02:00:00 and the number: an address of local meaning. Also the source of a node's pause frames.
MacAddress mac_of(std::uint32_t node);

}  // namespace petrel::wire

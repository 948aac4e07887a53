// The bytes of a frame of the twin as RoCEv2, so that captures open in the usual tools. Addresses are made from host
// numbers, the queue pair is the flow's number, the PSN its sequence number. Only captures need bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "wire/bytes.hpp"

namespace petrel::wire {

struct RoceFrame {
    enum class Kind : std::uint8_t { data, ack, nak, cnp };

    Kind kind{};
    std::uint32_t from{};  // numbers of hosts and flow: 24 bits of each are used
    std::uint32_t to{};
    std::uint32_t flow{};
    std::uint32_t seq{};
    std::uint32_t frame_bytes{};  // with the FCS, without preamble and gap
    std::uint8_t dscp{};
    std::uint8_t ecn{};
    std::uint8_t ttl{64};
    std::optional<std::uint8_t> pcp{};  // if set, the frame has an 802.1Q priority tag
};

struct Capture {
    Bytes bytes;                  // the first snap_length bytes
    std::uint32_t frame_bytes{};  // length of the whole frame, without FCS
};

// If frame_bytes is too short for the headers (64-byte acknowledgements of a model), the frame is as long as its
// headers.
Capture capture(const RoceFrame&, std::size_t snap_length);

// 02:00:00 and the number: a locally administered address. It is also the source of a node's pause frames.
MacAddress mac_of(std::uint32_t node);

}  // namespace petrel::wire

// A capture as the usual tools read it: classic pcap with nanoseconds, Ethernet without FCS. Into memory only; who
// writes the file, and when, is the caller's business.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "wire/bytes.hpp"

namespace petrel::wire {

// Once, before the first record.
void append_pcap_header(Bytes& out, std::uint32_t snap_length);

// frame_bytes: how long the frame was, of which `captured` is the beginning. Time counts from the start of the run
// (tools show 1 January 1970) and is not negative.
void append_pcap_record(Bytes& out, std::chrono::nanoseconds since_start, std::span<const std::byte> captured,
                        std::uint32_t frame_bytes);

}  // namespace petrel::wire

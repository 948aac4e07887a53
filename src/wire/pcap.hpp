// A capture in classic pcap format with nanoseconds, Ethernet without FCS, as the usual tools read it. It is written to
// memory; the caller writes the file.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "wire/bytes.hpp"

namespace petrel::wire {

// Call once, before the first record.
void append_pcap_header(Bytes& out, std::uint32_t snap_length);

// frame_bytes: the length of the whole frame, of which `captured` is the beginning. Time counts from the start of the
// run (tools show 1 January 1970) and is not negative.
void append_pcap_record(Bytes& out, std::chrono::nanoseconds since_start, std::span<const std::byte> captured,
                        std::uint32_t frame_bytes);

}  // namespace petrel::wire

// What libsai-petrel.so exports beyond SAI, for tests: time that the caller moves, and what arrived at a neighbour.
// Each returns a SAI status: uninitialized before a switch was created.
#pragma once

#include <cstdint>

extern "C" {

// Lets the twin run for so long and delivers the notifications of that time, in the caller's thread, at the end.
// not_supported where the twin runs by the wall clock.
std::int32_t petrel_sai_step(std::uint64_t ns);

// Simulated time since the start.
std::int32_t petrel_sai_now(std::uint64_t* ns);

// Frames of a priority that the host has taken off the wire. item_not_found if the scenario has no such host.
std::int32_t petrel_sai_host_received(const char* host, std::uint8_t priority, std::uint64_t* frames);
}

// `petrel wire`: pause frames on a network interface of this machine, for links of the lab.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct WireSendOptions {
    std::string interface;
    std::vector<unsigned> priorities;  // of a PFC frame
    bool port{};                       // 802.3x instead
    std::uint16_t quanta{0xffff};
    std::uint32_t count{1};
    std::uint32_t interval_us{1'000};
};

ExitCode run_wire_send(const WireSendOptions&);

struct WireCountOptions {
    std::string interface;
    std::uint32_t for_ms{1'000};
    std::optional<std::uint64_t> frames;  // expected: ends when they are here
};

// Prints a line to stderr when it has begun to count.
ExitCode run_wire_count(const WireCountOptions&);

}  // namespace petrel::cli

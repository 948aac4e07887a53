// Values with a unit in the notation of scenarios: "20ms", "100G", "12MiB". They are exact, times to the picosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace petrel::codec {

inline constexpr std::uint64_t kLongestTimePs = 604'800'000'000'000'000;  // a week

std::optional<std::uint64_t> time_in_ps(std::string_view);     // ps, ns, us, ms, s, min
std::optional<std::uint64_t> rate_in_bps(std::string_view);    // K, M, G, T: bits a second, powers of 1,000
std::optional<std::uint64_t> size_in_bytes(std::string_view);  // B, kB, MB, GB, KiB, MiB, GiB

inline constexpr std::string_view kTimeAllowed = "a time such as \"20ms\": ps, ns, us, ms, s or min; at most a week";
inline constexpr std::string_view kRateAllowed = "a rate such as \"100G\": K, M, G or T bits a second";
inline constexpr std::string_view kSizeAllowed = "a size such as \"12MiB\": B, kB, MB, GB, KiB, MiB or GiB";

}  // namespace petrel::codec

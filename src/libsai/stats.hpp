// Counters and fill levels as data, in the same way as attributes.
#pragma once

#include <cstdint>
#include <span>

#include "libsai/attributes.hpp"

namespace petrel::libsai {

struct Stat {
    enum class Kind : std::uint8_t { counter, level, peak } kind{};  // only counters and peaks can be cleared
    sai::StatId id{};
    std::uint64_t (*read)(const Place&, std::uint8_t priority){};
    std::uint8_t priority{};  // of a port's PFC counters
};

std::span<const Stat> stats_of(sai::ObjectType);

sai::Status get_stats(const Place&, std::span<const sai::StatId>, std::uint64_t* values);
sai::Status clear_stats(const Place&, std::span<const sai::StatId>);
sai::Status clear_all_stats(const Place&);

}  // namespace petrel::libsai

// How long something takes, on a machine that has other things to do as well: short batches, many of them, and the
// fastest one counts. Things to be compared run in turns, so that what disturbs one disturbs the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace petrel::bench {

// The compiler has to take it that the value is used.
template <class T>
void keep(const T& value)
{
    asm volatile("" : : "r,m"(value) : "memory");  // NOLINT(hicpp-no-assembler)
}

struct Timing {
    double least_ns{};   // of one pass
    double median_ns{};  // of one pass
};

using Pass = std::function<void()>;

inline constexpr std::chrono::milliseconds kBudget{2500};

// One Timing a pass, in their order.
std::vector<Timing> in_turns(const std::vector<Pass>&, std::chrono::nanoseconds budget = kBudget);

}  // namespace petrel::bench

// Measures run times on a machine with other load: many short batches, of which the fastest counts. Passes to be
// compared run in turns, so that other load affects all of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace petrel::bench {

// Makes the compiler assume that the value is used.
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

// One Timing per pass, in the same order.
std::vector<Timing> in_turns(const std::vector<Pass>&, std::chrono::nanoseconds budget = kBudget);

}  // namespace petrel::bench

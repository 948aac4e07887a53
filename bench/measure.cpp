#include "measure.hpp"

#include <algorithm>

namespace petrel::bench {

namespace {

using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

// Much longer than the cost of reading the clock, much shorter than a time slice.
constexpr nanoseconds kBatch = std::chrono::microseconds{300};
constexpr std::size_t kFewest = 25;

double batch_ns(const Pass& pass, std::uint64_t passes)
{
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < passes; ++i) {
        pass();
    }
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Doubles until a batch is long enough. This also warms up the caches.
std::uint64_t passes_per_batch(const Pass& pass)
{
    std::uint64_t passes = 1;
    while (batch_ns(pass, passes) < static_cast<double>(kBatch.count())) {
        passes *= 2;
    }
    return passes;
}

Timing summary(std::vector<double>& batches, std::uint64_t passes)
{
    std::sort(batches.begin(), batches.end());
    const auto each = static_cast<double>(passes);
    return {batches.front() / each, batches[batches.size() / 2] / each};
}

}  // namespace

std::vector<Timing> in_turns(const std::vector<Pass>& passes, nanoseconds budget)
{
    std::vector<std::uint64_t> repeat(passes.size());
    std::transform(passes.begin(), passes.end(), repeat.begin(), passes_per_batch);
    std::vector<std::vector<double>> batches(passes.size());
    const auto end = Clock::now() + budget;
    while (Clock::now() < end || batches.front().size() < kFewest) {
        for (std::size_t i = 0; i < passes.size(); ++i) {
            batches[i].push_back(batch_ns(passes[i], repeat[i]));
        }
    }
    std::vector<Timing> timings;
    timings.reserve(passes.size());
    for (std::size_t i = 0; i < passes.size(); ++i) {
        timings.push_back(summary(batches[i], repeat[i]));
    }
    return timings;
}

}  // namespace petrel::bench

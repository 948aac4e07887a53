#include "read_pass.hpp"

#include <array>
#include <numeric>

#include "base/assert.hpp"

// Compiled for newer CPUs as well, as the poll pass that it is compared with.
#if defined(__x86_64__) && !defined(__clang__)
#define PETREL_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define PETREL_CLONES
#endif

namespace petrel::bench {

namespace {

using Word [[gnu::may_alias]] = std::uint64_t;  // for any type of column
constexpr std::size_t kLanes = 32;              // independent sums, so that additions do not wait for each other

PETREL_CLONES std::uint64_t sum(const Word* words, std::size_t count)
{
    std::array<std::uint64_t, kLanes> sums{};
    for (std::size_t i = 0; i < count; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            sums[lane] += words[i + lane];
        }
    }
    return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

}  // namespace

std::uint64_t read_pass(const std::vector<std::span<const std::byte>>& pieces)
{
    std::uint64_t total = 0;
    for (const auto piece : pieces) {
        PETREL_ASSERT(piece.size() % (kLanes * sizeof(Word)) == 0, "{} bytes", piece.size());
        total += sum(reinterpret_cast<const Word*>(piece.data()), piece.size() / sizeof(Word));
    }
    return total;
}

}  // namespace petrel::bench

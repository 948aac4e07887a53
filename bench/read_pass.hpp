// One plain read of given memory: the least that a pass over those bytes can cost, to hold other passes against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace petrel::bench {

// The sum of its eight-byte words. Each piece is a multiple of 256 bytes.
std::uint64_t read_pass(const std::vector<std::span<const std::byte>>& pieces);

}  // namespace petrel::bench

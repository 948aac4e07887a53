// One plain read of given memory: the lowest possible cost of a pass over these bytes, for comparison with other
// passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace petrel::bench {

// The sum of its eight-byte words. Each piece is a multiple of 256 bytes.
std::uint64_t read_pass(const std::vector<std::span<const std::byte>>& pieces);

}  // namespace petrel::bench

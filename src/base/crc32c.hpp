// CRC-32C (Castagnoli), the checksum of what we store: it tells a record that was written from one that was not quite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace petrel {

std::uint32_t crc32c(std::span<const std::byte>);

}  // namespace petrel

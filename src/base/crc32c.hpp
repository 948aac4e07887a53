// CRC-32C (Castagnoli), the checksum of stored records: it detects a record that was not written completely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace petrel {

std::uint32_t crc32c(std::span<const std::byte>);

}  // namespace petrel

// The common format of the state file and the journal file: little-endian fields, a header with the device name, and
// records that are sealed with their length and a CRC-32C, so that a reader detects any damage.
//
//   header   magic, u16 version, u8 length + device name, u32 checksum of all that
//   sealed   u32 checksum of the rest, length of the body (u16 or u32), body
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/crc32c.hpp"

namespace petrel::runtime {

using Bytes = std::vector<std::byte>;

inline constexpr std::size_t kLongestStoredName = 255;

class RecordWriter {
public:
    template <std::integral T>
    void number(T value)
    {
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            bytes_.push_back(static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xff));
        }
    }
    void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

    // Writes the length as a number of type Length, then the text.
    template <std::unsigned_integral Length = std::uint8_t>
    void text(std::string_view text)
    {
        PETREL_ASSERT(text.size() <= std::numeric_limits<Length>::max(), "a text of {} bytes in a file", text.size());
        number(static_cast<Length>(text.size()));
        raw(std::as_bytes(std::span{text}));
    }

    Bytes take() { return std::move(bytes_); }
    const Bytes& bytes() const { return bytes_; }

private:
    Bytes bytes_;
};

// Reads from the front. After the first read beyond the end, ok() is false and all later reads return nothing.
class RecordReader {
public:
    explicit RecordReader(std::span<const std::byte> bytes) : left_(bytes) {}

    template <std::integral T>
    T number()
    {
        std::uint64_t value = 0;
        const auto bytes = raw(sizeof(T));
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        }
        return static_cast<T>(value);
    }
    std::span<const std::byte> raw(std::size_t size)
    {
        ok_ = ok_ && size <= left_.size();
        const auto piece = left_.first(ok_ ? size : 0);
        left_ = left_.subspan(piece.size());
        return piece;
    }
    template <std::unsigned_integral Length = std::uint8_t>
    std::string text()
    {
        const auto bytes = raw(number<Length>());
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    bool ok() const { return ok_; }
    bool finished() const { return ok_ && left_.empty(); }
    std::size_t left() const { return left_.size(); }

private:
    std::span<const std::byte> left_;
    bool ok_{true};
};

inline Bytes record_file_header(std::string_view magic, std::uint16_t version, std::string_view device)
{
    RecordWriter writer;
    writer.raw(std::as_bytes(std::span{magic}));
    writer.number(version);
    writer.text(device);
    writer.number(crc32c(writer.bytes()));
    return writer.take();
}

template <std::unsigned_integral Length>
inline constexpr std::size_t kSealSize = sizeof(std::uint32_t) + sizeof(Length);

template <std::unsigned_integral Length>
Bytes sealed(const Bytes& body)
{
    PETREL_ASSERT(body.size() <= std::numeric_limits<Length>::max(), "a record of {} bytes", body.size());
    RecordWriter checked;
    checked.number(static_cast<Length>(body.size()));
    checked.raw(body);
    RecordWriter record;
    record.number(crc32c(checked.bytes()));
    record.raw(checked.bytes());
    return record.take();
}

// The body of the record at the front, if it is complete and undamaged.
template <std::unsigned_integral Length>
std::optional<std::span<const std::byte>> unsealed(std::span<const std::byte> bytes)
{
    RecordReader reader{bytes};
    const auto checksum = reader.number<std::uint32_t>();
    const auto body = reader.raw(reader.number<Length>());
    if (!reader.ok() || body.empty()) {
        return std::nullopt;
    }
    const auto checked = bytes.subspan(sizeof checksum, sizeof(Length) + body.size());
    return crc32c(checked) == checksum ? std::optional{body} : std::nullopt;
}

}  // namespace petrel::runtime

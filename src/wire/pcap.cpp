#include "wire/pcap.hpp"

#include "base/assert.hpp"

namespace petrel::wire {
namespace {

// The magic number shows readers the byte order, so any order works; this is network order.
constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;
constexpr std::uint32_t kEthernet = 1;

}  // namespace

void append_pcap_header(Bytes& out, std::uint32_t snap_length)
{
    FrameWriter{out}.u32(kNanosecondMagic).u16(2).u16(4).u32(0).u32(0).u32(snap_length).u32(kEthernet);
}

void append_pcap_record(Bytes& out, std::chrono::nanoseconds since_start, std::span<const std::byte> captured,
                        std::uint32_t frame_bytes)
{
    PETREL_ASSERT(since_start.count() >= 0 && captured.size() <= frame_bytes, "{} of {} bytes at {} ns",
                  captured.size(), frame_bytes, since_start.count());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_start);
    FrameWriter{out}
        .u32(static_cast<std::uint32_t>(seconds.count()))
        .u32(static_cast<std::uint32_t>((since_start - seconds).count()))
        .u32(static_cast<std::uint32_t>(captured.size()))
        .u32(frame_bytes);
    out.insert(out.end(), captured.begin(), captured.end());
}

}  // namespace petrel::wire

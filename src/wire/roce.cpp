#include "wire/roce.hpp"

#include <algorithm>

namespace petrel::wire {
namespace {

constexpr std::uint32_t kIpBytes = 20;
constexpr std::uint32_t kUdpBytes = 8;
constexpr std::uint32_t kBthBytes = 12;
constexpr std::uint32_t kAethBytes = 4;
constexpr std::uint32_t kCnpBytes = 16;  // reserved, after the BTH
constexpr std::uint32_t kIcrcBytes = 4;
constexpr std::uint32_t kLongestIp = 65'535;

constexpr std::uint32_t kRocePort = 4791;
constexpr std::uint32_t kFirstPrivatePort = 0xc000;

std::uint32_t opcode(RoceFrame::Kind kind)
{
    switch (kind) {
    case RoceFrame::Kind::data: return 0x04;  // RC SEND only
    case RoceFrame::Kind::ack:
    case RoceFrame::Kind::nak: return 0x11;  // RC acknowledge
    case RoceFrame::Kind::cnp: break;
    }
    return 0x81;
}

std::uint32_t after_bth(RoceFrame::Kind kind)
{
    switch (kind) {
    case RoceFrame::Kind::data: return 0;
    case RoceFrame::Kind::ack:
    case RoceFrame::Kind::nak: return kAethBytes;
    case RoceFrame::Kind::cnp: break;
    }
    return kCnpBytes;
}

std::uint32_t address_of(std::uint32_t host) { return 10U << 24 | (host & 0xff'ffff); }

void write_ip(const RoceFrame& frame, std::uint32_t length, Bytes& out)
{
    const auto begin = out.size();
    const auto service = static_cast<std::uint32_t>(frame.dscp) << 2 | (frame.ecn & 3U);
    constexpr std::uint32_t kVersionAndSize = 0x45;
    constexpr std::uint32_t kDoNotFragment = 0x4000;
    constexpr std::uint32_t kUdp = 17;
    FrameWriter{out}
        .u8(kVersionAndSize)
        .u8(service)
        .u16(length)
        .u16(0)
        .u16(kDoNotFragment)
        .u8(frame.ttl)
        .u8(kUdp)
        .u16(0)
        .u32(address_of(frame.from))
        .u32(address_of(frame.to));
    std::uint32_t sum = 0;
    for (auto i = begin; i < out.size(); i += 2) {
        sum += std::to_integer<std::uint32_t>(out[i]) << 8 | std::to_integer<std::uint32_t>(out[i + 1]);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = ~(sum + (sum >> 16));
    out[begin + 10] = static_cast<std::byte>(sum >> 8 & 0xff);
    out[begin + 11] = static_cast<std::byte>(sum & 0xff);
}

void write_transport(const RoceFrame& frame, Bytes& out)
{
    constexpr std::uint32_t kDefaultPartition = 0xffff;
    constexpr std::uint32_t kMigrated = 0x40;
    FrameWriter write{out};
    write.u8(opcode(frame.kind)).u8(kMigrated).u16(kDefaultPartition);
    write.u8(0).u24(frame.flow).u8(0).u24(frame.seq);
    if (after_bth(frame.kind) == kAethBytes) {
        constexpr std::uint32_t kUnlimitedCredit = 0x1f;
        constexpr std::uint32_t kSequenceError = 0x60;
        write.u8(frame.kind == RoceFrame::Kind::ack ? kUnlimitedCredit : kSequenceError).u24(frame.seq);
    }
}

}  // namespace

Capture capture(const RoceFrame& frame, std::size_t snap_length)
{
    Capture result;
    FrameWriter write{result.bytes};
    write.mac(mac_of(frame.to)).mac(mac_of(frame.from));
    if (frame.pcp) {
        write.u16(0x8100).u16(static_cast<std::uint32_t>(*frame.pcp & 7) << 13);
    }
    write.u16(0x0800);
    const auto ethernet = static_cast<std::uint32_t>(result.bytes.size());
    const auto shortest = kIpBytes + kUdpBytes + kBthBytes + after_bth(frame.kind) + kIcrcBytes;
    const auto given = frame.frame_bytes - std::min(frame.frame_bytes, ethernet + kFcsBytes);
    const auto ip_length = std::clamp(given, shortest, kLongestIp);

    write_ip(frame, ip_length, result.bytes);
    write.u16(kFirstPrivatePort | (frame.flow & 0x3fff)).u16(kRocePort).u16(ip_length - kIpBytes).u16(0);
    write_transport(frame, result.bytes);
    result.frame_bytes = ethernet + ip_length;
    result.bytes.resize(std::min<std::size_t>(result.frame_bytes, snap_length));
    return result;
}

MacAddress mac_of(std::uint32_t node)
{
    return {0x02,
            0x00,
            0x00,
            static_cast<std::uint8_t>(node >> 16 & 0xff),
            static_cast<std::uint8_t>(node >> 8 & 0xff),
            static_cast<std::uint8_t>(node & 0xff)};
}

}  // namespace petrel::wire

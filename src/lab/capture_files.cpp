#include "lab/capture_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "twin/pause_frame.hpp"
#include "wire/mac_control.hpp"
#include "wire/pcap.hpp"
#include "wire/roce.hpp"

namespace petrel::lab {

namespace {

using twin::Packet;

constexpr std::uint32_t kSnapLength = 128;  // enough for all headers; the twin's payloads are empty

wire::RoceFrame::Kind kind_of(twin::Kind kind)
{
    switch (kind) {
    case twin::Kind::ack: return wire::RoceFrame::Kind::ack;
    case twin::Kind::nak: return wire::RoceFrame::Kind::nak;
    case twin::Kind::cnp: return wire::RoceFrame::Kind::cnp;
    default: return wire::RoceFrame::Kind::data;
    }
}

wire::PauseFrame pause_of(const Packet& packet, std::uint32_t sender, std::span<const twin::PauseTimes> times)
{
    wire::PauseFrame frame;
    frame.source = wire::mac_of(sender);
    if (packet.kind() == twin::Kind::global_pause) {
        frame.pause = wire::PortPause{twin::quanta_for(packet, 0, times)};
        return frame;
    }
    wire::ClassPause classes;
    for (std::uint8_t p = 0; p < kPriorities; ++p) {
        if (twin::covers(packet, p)) {
            classes.enabled = static_cast<std::uint8_t>(classes.enabled | 1U << p);
            classes.quanta[p] = twin::quanta_for(packet, p, times);
        }
    }
    frame.pause = classes;
    return frame;
}

wire::RoceFrame data_of(const Packet& packet, const twin::Setup& setup)
{
    const auto& flow = setup.flows[packet.flow];
    wire::RoceFrame frame;
    frame.kind = kind_of(packet.kind());
    frame.to = packet.dst;
    frame.from = packet.dst == flow.dst.value ? flow.src.value : flow.dst.value;
    frame.flow = packet.flow;
    frame.seq = packet.seq();
    frame.frame_bytes = packet.bytes;
    frame.dscp = packet.dscp();
    frame.ecn = packet.ecn();
    frame.ttl = packet.ttl();
    return frame;
}

void append(wire::Bytes& out, const twin::Tap::Record& record, std::uint32_t sender, const twin::Setup& setup)
{
    const auto at = twin::to_instant(record.at).time_since_epoch();
    const auto kind = record.packet.kind();
    if (kind == twin::Kind::signal) {
        return;  // no frame
    }
    if (record.packet.is_control()) {
        const auto bytes = wire::build(pause_of(record.packet, sender, setup.pause_times));
        return wire::append_pcap_record(out, at, bytes, wire::kPauseFrameBytes);
    }
    const auto seen = wire::capture(data_of(record.packet, setup), kSnapLength);
    wire::append_pcap_record(out, at, seen.bytes, seen.frame_bytes);
}

// Port names may contain characters that file names may not.
std::string file_name(const topology::Node& node, std::uint16_t port)
{
    auto name = fmt::format("{}-{}.pcap", node.name, node.ports[port].name);
    std::replace_if(name.begin(), name.end(), [](char c) { return c == '/' || c == '\0'; }, '_');
    return name;
}

}  // namespace

std::vector<CaptureFile> capture_files(const scenario::Scenario& scenario, const twin::Twin& twin)
{
    const auto& setup = twin.setup();
    std::vector<CaptureFile> files;
    for (const auto& capture : scenario.captures) {
        const auto& ends = setup.topology.links[capture.link].ends;
        for (std::size_t side = 0; side < ends.size(); ++side) {
            if (!twin.runs_here(ends[side].node)) {
                continue;
            }
            CaptureFile file{file_name(setup.topology.nodes[ends[side].node.value], ends[side].port), {}};
            wire::append_pcap_header(file.bytes, kSnapLength);
            for (const auto& record : twin.captured(capture.link, side)) {
                append(file.bytes, record, ends[1 - side].node.value, setup);
            }
            files.push_back(std::move(file));
        }
    }
    return files;
}

}  // namespace petrel::lab

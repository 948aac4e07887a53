#include "device/twin/slingshot_registers.hpp"

#include <fmt/format.h>

#include <limits>

#include "twin/sim_time.hpp"

namespace petrel::device::twin {

using slingshot::Counter;
using slingshot::Register;

namespace {

constexpr std::uint16_t kLargest = std::numeric_limits<std::uint16_t>::max();

std::uint8_t small(std::uint16_t port) { return static_cast<std::uint8_t>(port); }

}  // namespace

SlingshotRegisters::SlingshotRegisters(petrel::twin::SwitchView view, const Seat& seat, Duration pause_limit)
    : view_(view), seat_(seat)
{
    for (const auto& names : seat.topology.nodes[seat.node.value].ports) {
        view_.set_pause_limit(small(static_cast<std::uint16_t>(ports_.size())),
                              static_cast<petrel::twin::Ps>(pause_limit.count()) * petrel::twin::kNs);
        ports_.push_back({names, {}, false, view_.honours()});
    }
    for (const auto& link : seat.topology.links) {
        for (const std::size_t here : {0U, 1U}) {
            if (link.ends[here].node == seat.node) {
                auto& port = ports_[link.ends[here].port];
                port.speed = {view_.speed_bps(small(link.ends[here].port))};
                port.edge = seat.topology.nodes[link.ends[1 - here].node.value].kind == topology::Kind::host;
            }
        }
    }
}

Result<std::uint32_t> SlingshotRegisters::read(std::uint16_t port, Register which)
{
    const auto& set = view_.registers(small(port));
    switch (which) {
    case Register::pause_timeout: return view_.pause_timeout(small(port), seat_.now());
    case Register::max_frame_size: return set.max_frame_bytes;
    case Register::pcp_enable: break;
    }
    return set.pause_rx == 0 ? 0U : 1U;
}

Result<void> SlingshotRegisters::write(std::uint16_t port, Register which, std::uint32_t value)
{
    auto wanted = view_.registers(small(port));
    const auto most = which == Register::max_frame_size ? kLargest : std::uint16_t{1};
    if (which == Register::pause_timeout || value > most) {
        return tl::unexpected(Error{ErrorKind::denied, fmt::format("{} cannot be set to {}", name(which), value)});
    }
    if (which == Register::max_frame_size) {
        wanted.max_frame_bytes = static_cast<std::uint16_t>(value);
    } else {
        wanted.pause_rx = value == 0 ? std::uint8_t{0} : view_.honours();
    }
    view_.write(small(port), wanted, seat_.now());
    return {};
}

std::uint32_t SlingshotRegisters::usual(std::uint16_t /*port*/, Register which) const
{
    switch (which) {
    case Register::pause_timeout: return 0;
    case Register::max_frame_size: return view_.profile().max_frame_bytes;
    case Register::pcp_enable: break;
    }
    return view_.honours() == 0 ? 0 : 1;
}

Result<std::uint64_t> SlingshotRegisters::count(std::uint16_t port, Counter which)
{
    std::uint64_t frames = 0;
    for (std::uint8_t queue = 0; queue != kPriorities; ++queue) {
        const auto read = view_.queue(small(port), queue, seat_.now());
        frames += which == Counter::frames_sent ? read.tx_packets : read.tx_drops;
    }
    return frames;
}

Result<std::uint32_t> SlingshotRegisters::epoch(std::uint16_t port)
{
    ports_[port].speed = {view_.speed_bps(small(port))};
    return view_.link_up(small(port)) ? view_.epoch(small(port)) : 0;
}

}  // namespace petrel::device::twin

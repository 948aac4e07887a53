#include "device/twin/slingshot_registers.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "twin/sim_time.hpp"

namespace petrel::device::twin {

using slingshot::PortReading;
using slingshot::Register;

namespace {

constexpr std::uint16_t kLargest = std::numeric_limits<std::uint16_t>::max();

std::uint8_t small(std::uint16_t port) { return static_cast<std::uint8_t>(port); }

}  // namespace

SlingshotRegisters::SlingshotRegisters(petrel::twin::SwitchView view, const Seat& seat, const Traits& traits,
                                       std::shared_ptr<const RegisterGate> gate)
    : view_(view), seat_(seat), gate_(std::move(gate)), links_(view, seat), reads_links_(traits.reads_links)
{
    const slingshot::Settings usual{view_.profile().max_frame_bytes, view_.honours() == 0 ? 0U : 1U};
    for (const auto& names : seat.topology.nodes[seat.node.value].ports) {
        view_.set_pause_limit(small(static_cast<std::uint16_t>(ports_.size())),
                              static_cast<petrel::twin::Ps>(traits.pause_limit.count()) * petrel::twin::kNs);
        ports_.push_back({names, {}, false, usual, view_.honours()});
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

Result<std::vector<Result<PortReading>>> SlingshotRegisters::read(std::span<const std::uint16_t> ports)
{
    std::vector<Result<PortReading>> readings;
    for (const auto port : ports) {
        ports_[port].speed = {view_.speed_bps(small(port))};
        readings.emplace_back(reading(small(port)));
    }
    return readings;
}

PortReading SlingshotRegisters::reading(std::uint8_t port) const
{
    const auto& set = view_.registers(port);
    std::uint64_t sent = 0;
    std::uint64_t discarded = 0;
    for (std::uint8_t queue = 0; queue != kPriorities; ++queue) {
        const auto read = view_.queue(port, queue, seat_.now());
        sent += read.tx_packets;
        discarded += read.tx_drops;
    }
    return {.epoch = view_.link_up(port) ? view_.epoch(port) : 0,
            .pause_timeout = view_.pause_timeout(port, seat_.now()),
            .settings = {set.max_frame_bytes, set.pause_rx == 0 ? 0U : 1U},
            .frames_sent = sent,
            .frames_discarded = discarded};
}

Result<void> SlingshotRegisters::write(std::uint16_t port, Register which, std::uint32_t value)
{
    if (gate_) {
        if (auto passed = gate_->before_write(which); !passed) {
            return passed;
        }
    }
    auto wanted = view_.registers(small(port));
    const auto most = which == Register::max_frame_size ? kLargest : std::uint16_t{1};
    if (value > most) {
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

}  // namespace petrel::device::twin

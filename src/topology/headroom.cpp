#include "topology/headroom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "topology/cable.hpp"

namespace petrel::topology {
namespace {

constexpr double kSmallestFrame = 64;
constexpr double kBytesPerQuantum = 512.0 / 8;
constexpr std::uint64_t kUnit = 1024;

constexpr std::uint64_t kGiga = 1'000'000'000;
constexpr std::array<std::pair<std::uint64_t, std::uint32_t>, 8> kResponse{{{10 * kGiga, 67},
                                                                            {25 * kGiga, 80},
                                                                            {40 * kGiga, 118},
                                                                            {50 * kGiga, 147},
                                                                            {100 * kGiga, 394},
                                                                            {200 * kGiga, 453},
                                                                            {400 * kGiga, 905},
                                                                            {800 * kGiga, 905}}};

double bytes_per_second(BitRate speed) { return static_cast<double>(speed.bps) / 8; }

std::optional<Error> wrong(const HeadroomCase& c)
{
    const auto invalid = [](std::string what) { return Error{ErrorKind::invalid, std::move(what)}; };
    if (!(c.cable_m >= 0 && c.cable_m <= kLongestCable_m)) {
        return invalid(fmt::format("headroom: cable is {} m, allowed: 0 to {} m", c.cable_m, kLongestCable_m));
    }
    if (!response_quanta(c.speed)) {
        return invalid(fmt::format("headroom: speed is {} bit/s, allowed: 10, 25, 40, 50, 100, 200, 400 or 800 Gbit/s",
                                   c.speed.bps));
    }
    if (c.cell_bytes == 0) {
        return invalid("headroom: cell is 0 bytes, allowed: 1 or more");
    }
    if (!(c.small_share >= 0 && c.small_share <= 1)) {
        return invalid(fmt::format("headroom: share of small packets is {}, allowed: 0 to 1", c.small_share));
    }
    if (c.gearbox < Delay::zero()) {
        return invalid(fmt::format("headroom: gearbox delay is {} ps, allowed: 0 or more", c.gearbox.count()));
    }
    return std::nullopt;
}

}  // namespace

Result<std::uint64_t> xoff_bytes(const HeadroomCase& c)
{
    if (const auto error = wrong(c)) {
        return tl::unexpected{*error};
    }
    const auto gearbox_s = std::chrono::duration<double>(c.gearbox).count();
    const double arriving = c.port_mtu_bytes + bytes_on_cable(c.cable_m, c.speed) +
                            2 * gearbox_s * bytes_per_second(c.speed) + c.mac_phy_bytes +
                            *response_quanta(c.speed) * kBytesPerQuantum;
    const double sum = c.lossless_mtu_bytes + cell_occupancy(c.cell_bytes, c.small_share) * arriving;
    return static_cast<std::uint64_t>(std::ceil(sum / kUnit)) * kUnit;
}

double bytes_on_cable(double cable_m, BitRate speed)
{
    return 2 * cable_m / kMetresPerSecond * bytes_per_second(speed);
}

double cell_occupancy(std::uint32_t cell_bytes, double small_share)
{
    const double cell = cell_bytes;
    const double worst = cell > 2 * kSmallestFrame ? cell / kSmallestFrame : 2 * cell / (1 + cell);
    return 1 - small_share + small_share * worst;
}

std::optional<std::uint32_t> response_quanta(BitRate speed)
{
    const auto* row =
        std::find_if(kResponse.begin(), kResponse.end(), [&](const auto& entry) { return entry.first == speed.bps; });
    return row == kResponse.end() ? std::nullopt : std::optional{row->second};
}

}  // namespace petrel::topology

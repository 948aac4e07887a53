#include "watchdog/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace petrel::watchdog {

namespace {

constexpr std::array<std::string_view, kFields> kFieldNames{
    "pause_state",     "paused_now", "pause_us",    "rx_pfc",       "rx_xoff",    "rx_xon",
    "on2off",          "tx_packets", "tx_bytes",    "tx_drops",     "rx_packets", "rx_drops",
    "occupancy_bytes", "pause_tx",   "pause_tx_us", "pause_timeout"};

constexpr std::array<std::string_view, static_cast<std::size_t>(Treatment::count_)> kTreatmentNames{
    "none", "ignore_pause", "drop_egress", "drop", "lossless_off", "squeeze", "mute_pause", "port_down"};

template <class Enum, std::size_t n>
std::optional<Enum> find_name(const std::array<std::string_view, n>& names, std::string_view wanted)
{
    const auto* at = std::find(names.begin(), names.end(), wanted);
    if (at == names.end()) {
        return std::nullopt;
    }
    return static_cast<Enum>(at - names.begin());
}

}  // namespace

std::string_view name(Field f) { return kFieldNames.at(static_cast<std::size_t>(f)); }
std::optional<Field> field_from_name(std::string_view wanted) { return find_name<Field>(kFieldNames, wanted); }

std::string_view name(Treatment t) { return kTreatmentNames.at(static_cast<std::size_t>(t)); }
std::optional<Treatment> treatment_from_name(std::string_view wanted)
{
    return find_name<Treatment>(kTreatmentNames, wanted);
}

std::string to_string(const Inventory& inventory, const Target& target)
{
    const auto index = target.port.index;
    std::string port = index < inventory.ports.size() ? inventory.ports[index].name : fmt::format("port{}", index);
    return target.priority ? fmt::format("{}:{}", port, target.priority->value) : port;
}

}  // namespace petrel::watchdog

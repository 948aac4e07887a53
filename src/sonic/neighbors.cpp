#include "sonic/neighbors.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace petrel::sonic {

namespace {

// Capabilities of IEEE 802.1AB: the first of the two bytes, which SONiC writes as "28 00".
constexpr std::uint8_t kBridge = 0x20;
constexpr std::uint8_t kRouter = 0x08;
constexpr std::uint8_t kStation = 0x01;

constexpr std::string_view kServer = "Server";

std::string_view text_in(const Rows& rows, std::string_view key, const std::string& name)
{
    const auto row = rows.find(key);
    if (row == rows.end()) {
        return {};
    }
    const auto at = row->second.find(name);
    return at == row->second.end() ? std::string_view{} : std::string_view{at->second};
}

bool is_station(std::string_view capabilities)
{
    std::uint8_t enabled = 0;
    const auto first = capabilities.substr(0, 2);
    const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), enabled, 16);
    return error == std::errc{} && end == first.data() + first.size() && (enabled & kStation) != 0 &&
           (enabled & (kBridge | kRouter)) == 0;
}

}  // namespace

Rows lldp_peers(Store& store)
{
    const auto prefix = kLldpTable + ':';
    Rows peers;
    const auto keys = store.keys(Db::appl, prefix);
    const auto hashes = keys ? store.hashes(Db::appl, *keys) : Result<std::vector<Hash>>{};
    for (std::size_t i = 0; hashes && i != hashes->size(); ++i) {
        Hash peer;
        for (const auto& name : {kLldpCapabilities, kLldpSystem, kLldpPort}) {
            if (const auto at = (*hashes)[i].find(name); at != (*hashes)[i].end()) {
                peer.emplace(name, at->second);
            }
        }
        if (!peer.empty()) {
            peers[(*keys)[i].substr(prefix.size())] = std::move(peer);
        }
    }
    return peers;
}

std::map<std::string, std::pair<std::string, std::string>> port_neighbors(const Rows& neighbors, const Rows& lldp)
{
    std::map<std::string, std::pair<std::string, std::string>> known;
    const auto add = [&](const Rows& rows, const std::string& device, const std::string& far_port) {
        for (const auto& [port, row] : rows) {
            const auto name = text_in(rows, port, device);
            const auto at = text_in(rows, port, far_port);
            if (!name.empty() && !at.empty()) {
                known.try_emplace(port, name, at);
            }
        }
    };
    add(lldp, kLldpSystem, kLldpPort);
    add(neighbors, "name", "port");
    return known;
}

std::set<std::string> server_ports(const Rows& neighbors, const Rows& metadata, const Rows& lldp)
{
    std::set<std::string> ports;
    const auto type_of = [&](std::string_view port) {
        return text_in(metadata, text_in(neighbors, port, "name"), "type");
    };
    for (const auto& [port, neighbor] : neighbors) {
        if (type_of(port) == kServer) {
            ports.insert(port);
        }
    }
    for (const auto& [port, peer] : lldp) {
        if (type_of(port).empty() && is_station(text_in(lldp, port, kLldpCapabilities))) {
            ports.insert(port);
        }
    }
    return ports;
}

}  // namespace petrel::sonic

// Which ports face servers, as SONiC knows it. Two sources, in this order:
//
// - CONFIG_DB: DEVICE_NEIGHBOR names the neighbour of a port, DEVICE_NEIGHBOR_METADATA has the neighbour's type.
// - APPL_DB: LLDP_ENTRY_TABLE has the capabilities that the peer has enabled. A station that neither bridges nor routes
//   is a server. LLDP counts only for ports whose neighbour has no type in CONFIG_DB.
//
// Servers without both are not found: the agent's file names them ([[port]] role).
//
// The same tables name what is connected to a port: LLDP what is there, DEVICE_NEIGHBOR what should be there.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sonic/store.hpp"

namespace petrel::sonic {

// Rows of a table, by the part of the key after the separator.
using Rows = std::map<std::string, Hash, std::less<>>;

inline const std::string kLldpTable = "LLDP_ENTRY_TABLE";
inline const std::string kLldpCapabilities = "lldp_rem_sys_cap_enabled";

inline const std::string kLldpSystem = "lldp_rem_sys_name";
inline const std::string kLldpPort = "lldp_rem_port_id";

// The enabled capabilities and the names of the peers, as LLDP_ENTRY_TABLE has them. Other fields of that table change
// all the time.
// Empty, too, if APPL_DB cannot be read.
Rows lldp_peers(Store&);

// By port, the device and port at the other end. LLDP wins over DEVICE_NEIGHBOR.
std::map<std::string, std::pair<std::string, std::string>> port_neighbors(const Rows& neighbors, const Rows& lldp);

std::set<std::string> server_ports(const Rows& neighbors, const Rows& metadata, const Rows& lldp);

}  // namespace petrel::sonic

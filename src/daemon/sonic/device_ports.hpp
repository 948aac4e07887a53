// The ports of the devices as SONiC's tables PORT and PORT_QOS_MAP, for an agent that keeps the tables itself, and the
// ports that face servers.
//
//   entry of the port | a priority becomes lossless on the device | it does not
//   none              | lossless in the tables                    | lossy in the tables
//   from before       | lossless in the tables                    | the entry stays
//
// So the tables follow a switch whose PFC is configured after the agent has started. An entry never loses a priority by
// itself: a treatment that an agent left behind when it was killed may have switched its PFC off. An operator removes a
// priority whose PFC is off on the switch (`pfc config priority off`).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "control/report.hpp"
#include "sonic/store.hpp"

namespace petrel::daemon {

class DevicePorts {
public:
    // Writes the entries of the ports of these queues.
    Result<void> update(sonic::Store&, std::span<const control::QueueReport>);

    // Refuses changes of PFC that the device does not have: the tables only describe its PFC settings. The operator
    // sets them on the switch.
    Result<void> check(sonic::Store&, const sonic::Change&) const;

private:
    Result<std::vector<sonic::Change>> changes(sonic::Store&, const std::string& port, std::uint8_t lossless) const;
    Result<void> write_servers(sonic::Store&);

    std::map<std::string, std::set<unsigned>, std::less<>> queues_;  // priorities of the devices' queues, by port
    std::map<std::string, std::uint8_t, std::less<>> lossless_;      // priorities with PFC on the device, by port
    std::set<std::string> servers_;                                  // ports that face servers
    bool servers_written_{};
};

}  // namespace petrel::daemon

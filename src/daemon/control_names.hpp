// The names in a request: finds the queue, port or link that a request names, and suggests another name if there is
// none. Every suggested name works in the same command.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "control/request.hpp"
#include "daemon/control.hpp"
#include "daemon/runners.hpp"

namespace petrel::daemon {

// Calls `what` for each row of a target: one row for a queue, all rows of the port for a port.
template <class What>
void for_rows(const watchdog::Watchlist& list, const Target& target, What what)
{
    for (std::uint32_t row = 0; row != list.inventory.rows.size(); ++row) {
        const auto& at = list.inventory.rows[row].target;
        if (at.port == target.port && (!target.priority || at.priority == target.priority)) {
            what(Slot{row});
        }
    }
}

// "leaf0:Ethernet1:3". A NIC is a device with one port of the same name: "eth0".
std::string full_name(const DeviceRunner&, const Target&);

class ControlNames {
public:
    explicit ControlNames(std::span<const std::unique_ptr<DeviceRunner>> runners) : runners_(runners) {}

    // "leaf0:Ethernet1:3" names the device, too. A device may have a port with a colon in its name: the whole name
    // comes first.
    control::ControlRequest with_device(control::ControlRequest) const;

    // Fails with "no device 'x'; ..." unless the agent has it. An empty name means all devices.
    Result<void> check_device(const std::string& device) const;

    struct Place {
        DeviceRunner* runner{};
        Target target;
    };
    // The queue or port of the request, on each device that has it.
    std::vector<Place> places(const control::ControlRequest&) const;

    // The same on the device that the request names or on the only one that has it; else the answer to the client.
    using Found = tl::expected<Place, ControlAnswer>;
    Found find(const control::ControlRequest&) const;

    // The answers to a request whose queue or link no device has. Suggestions are collected when the answer is
    // rendered, outside the loop, because there may be many names.
    ControlAnswer no_such_queue(const control::ControlRequest&) const;
    Error no_such_link(const control::ControlRequest&) const;

    // The names with which an operator can choose one of several devices: "leaf0:Ethernet1 or leaf1:Ethernet1".
    static Error several_have(std::string_view name, std::span<DeviceRunner* const>);

private:
    bool chosen(const control::ControlRequest&, const DeviceRunner&) const;

    std::span<const std::unique_ptr<DeviceRunner>> runners_;
};

}  // namespace petrel::daemon

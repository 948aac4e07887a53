#include "config/policy_bind.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/complaint_list.hpp"
#include "base/complaint_text.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::config {

namespace {

using PortNumbers = std::map<std::string_view, std::uint16_t>;

PortNumbers numbers_of(const watchdog::Inventory& inventory)
{
    PortNumbers numbers;
    for (std::uint16_t index = 0; const auto& port : inventory.ports) {
        for (const std::string_view name : {std::string_view{port.name}, std::string_view{port.xname}}) {
            if (!name.empty()) {
                numbers.emplace(name, index);
            }
        }
        ++index;
    }
    return numbers;
}

// A file may be for many devices, but each port it names must exist on one of them.
void check_ports(const PolicyFile& file, std::span<const PortNumbers> devices, ComplaintList& complaints)
{
    std::set<std::string_view> known;
    for (const auto& numbers : devices) {
        for (const auto& [name, number] : numbers) {
            known.insert(name);
        }
    }
    for (const auto& entry : file.ports) {
        if (!entry.xname.empty() && known.contains(entry.port.name)) {
            known.insert(entry.xname);
        }
    }
    const auto check = [&](const PortName& port) {
        if (!known.contains(port.name)) {
            const std::vector<std::string_view> names{known.begin(), known.end()};
            complaints.add(port.at, port.name, "a port of the device, " + instead_of(port.name, names));
        }
    };
    for (const auto& entry : file.policies) {
        std::for_each(entry.ports.begin(), entry.ports.end(), check);
    }
    for (const auto& entry : file.ports) {
        check(entry.port);
    }
}

void assign(watchdog::PolicyBook& book, const watchdog::Policy& policy,
            const std::vector<std::optional<std::uint16_t>>& ports, std::optional<Priority> priority)
{
    const auto number = static_cast<std::uint16_t>(book.policies.size());
    book.policies.push_back(policy);
    for (const auto port : ports) {
        book.assigned.push_back({.policy = number, .port = port, .priority = priority});
    }
}

watchdog::PolicyBook book_for(const PolicyFile& file, const PortNumbers& numbers, std::string_view device)
{
    watchdog::PolicyBook book{
        .policies = {}, .assigned = {}, .max_mitigated = file.max_mitigated, .big_red_switch = file.big_red_switch};
    for (const auto& entry : file.policies) {
        if (!entry.device.empty() && entry.device != device) {
            continue;
        }
        std::vector<std::optional<std::uint16_t>> ports;
        for (const auto& port : entry.ports) {
            if (const auto at = numbers.find(port.name); at != numbers.end()) {
                ports.emplace_back(at->second);
            }
        }
        if (entry.ports.empty()) {
            ports.emplace_back();  // all ports
        }
        if (ports.empty()) {
            continue;  // the policy is for other devices
        }
        assign(book, entry.policy, ports, std::nullopt);
        for (const auto& [priority, policy] : entry.per_priority) {
            assign(book, policy, ports, priority);
        }
    }
    return book;
}

void set_host_facing(watchdog::Inventory& inventory, std::uint16_t port, bool host_facing)
{
    for (auto& row : inventory.rows) {
        if (row.target.port.index == port) {
            row.host_facing = host_facing;
        }
    }
}

// What the file states about a port wins over what its source knows.
void describe_ports(const PolicyFile& file, watchdog::Inventory& inventory, std::string_view device)
{
    const auto numbers = numbers_of(inventory);
    for (const auto& server : file.server_ports) {
        const auto at = numbers.find(server.port);
        if (at != numbers.end() && (server.device.empty() || server.device == device)) {
            set_host_facing(inventory, at->second, true);
        }
    }
    for (const auto& entry : file.ports) {
        const auto at = numbers.find(entry.port.name);
        if (at == numbers.end()) {
            continue;
        }
        auto& names = inventory.ports[at->second];
        names.xname = entry.xname.empty() ? names.xname : entry.xname;
        names.number = entry.number ? entry.number : names.number;
        if (entry.host_facing) {
            set_host_facing(inventory, at->second, *entry.host_facing);
        }
    }
}

}  // namespace

watchdog::PolicyBook bind_device(const PolicyFile& file, watchdog::Inventory& device, std::string_view name)
{
    describe_ports(file, device, name);
    return book_for(file, numbers_of(device), name);
}

std::vector<std::size_t> idle_policies(const PolicyFile& file, std::span<const DeviceRows> devices)
{
    std::set<std::string> busy;  // names of policies that watch a row
    for (auto [device, inventory] : devices) {
        const auto book = bind_device(file, inventory, device);
        for (const auto& assigned : book.assigned) {
            const auto& policy = book.policies[assigned.policy];
            if (!busy.contains(policy.name) && std::ranges::any_of(inventory.rows, [&](const watchdog::RowInfo& row) {
                    return watchdog::wants_row(policy, assigned, row);
                })) {
                busy.insert(policy.name);
            }
        }
    }
    std::vector<std::size_t> idle;
    for (std::size_t i = 0; i != file.policies.size(); ++i) {
        if (!busy.contains(file.policies[i].policy.name)) {
            idle.push_back(i);
        }
    }
    return idle;
}

std::vector<UnwatchedPorts> unwatched_ports(const PolicyFile& file, std::span<const DeviceRows> devices)
{
    std::vector<UnwatchedPorts> unwatched(file.policies.size());
    for (auto [device, inventory] : devices) {
        describe_ports(file, inventory, device);
        const auto numbers = numbers_of(inventory);
        const auto faces_server = [&rows = inventory.rows](std::uint16_t port) {
            return std::ranges::any_of(
                rows, [&](const watchdog::RowInfo& row) { return row.target.port.index == port && row.host_facing; });
        };
        for (std::size_t i = 0; i != file.policies.size(); ++i) {
            const auto& entry = file.policies[i];
            unwatched[i].policy = i;
            if (!entry.policy.host_facing_only || (!entry.device.empty() && entry.device != device)) {
                continue;
            }
            for (const auto& port : entry.ports) {
                if (const auto at = numbers.find(port.name); at != numbers.end() && !faces_server(at->second)) {
                    unwatched[i].ports.push_back(port.name);
                }
            }
        }
    }
    std::erase_if(unwatched, [](const UnwatchedPorts& of) { return of.ports.empty(); });
    return unwatched;
}

std::vector<Complaint> unknown_ports(const PolicyFile& file, std::span<const watchdog::Inventory* const> devices)
{
    std::vector<PortNumbers> numbers;
    for (const auto* device : devices) {
        numbers.push_back(numbers_of(*device));
    }
    ComplaintList complaints{file.file};
    check_ports(file, numbers, complaints);
    return std::move(complaints).take();
}

Parsed<std::vector<watchdog::PolicyBook>> bind_ports(const PolicyFile& file,
                                                     std::span<watchdog::Inventory* const> devices)
{
    auto complaints = unknown_ports(file, {devices.data(), devices.size()});
    if (!complaints.empty()) {
        return tl::make_unexpected(std::move(complaints));
    }
    std::vector<watchdog::PolicyBook> books;
    for (auto* device : devices) {
        books.push_back(bind_device(file, *device));
    }
    return books;
}

}  // namespace petrel::config

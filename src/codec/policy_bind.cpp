// The half of the policy reader that knows a device: names become numbers.
#include <limits>
#include <map>
#include <optional>

#include "base/complaint_text.hpp"
#include "codec/policy_reader.hpp"

namespace petrel::codec {

namespace {

class PortFinder {
public:
    PortFinder(const watchdog::Inventory& inventory, ComplaintList& complaints) : complaints_(complaints)
    {
        for (const auto& port : inventory.ports) {
            const auto index = static_cast<std::uint16_t>(&port - inventory.ports.data());
            for (const std::string_view name : {std::string_view{port.name}, std::string_view{port.xname}}) {
                if (!name.empty()) {
                    numbers_.emplace(name, index);
                }
            }
        }
    }

    // None, and a complaint, if the device has no such port.
    std::optional<std::uint16_t> find(const PortName& port) const
    {
        if (const auto at = numbers_.find(port.name); at != numbers_.end()) {
            return at->second;
        }
        std::vector<std::string_view> names;
        for (const auto& [name, number] : numbers_) {
            names.push_back(name);
        }
        complaints_.add(port.at, port.name, "a port of the device, " + instead_of(port.name, names));
        return std::nullopt;
    }

private:
    ComplaintList& complaints_;
    std::map<std::string_view, std::uint16_t> numbers_;
};

void assign(watchdog::PolicyBook& book, watchdog::Policy policy, const std::vector<std::optional<std::uint16_t>>& ports,
            std::optional<Priority> priority)
{
    const auto number = static_cast<std::uint16_t>(book.policies.size());
    book.policies.push_back(std::move(policy));
    for (const auto port : ports) {
        book.assigned.push_back({.policy = number, .port = port, .priority = priority});
    }
}

}  // namespace

Parsed<watchdog::PolicyBook> bind(const PolicyFile& file, watchdog::Inventory& inventory)
{
    ComplaintList complaints{file.file};
    const PortFinder finder{inventory, complaints};
    watchdog::PolicyBook book{
        .policies = {}, .assigned = {}, .max_mitigated = file.max_mitigated, .big_red_switch = file.big_red_switch};
    for (const auto& entry : file.policies) {
        std::vector<std::optional<std::uint16_t>> ports;
        for (const auto& port : entry.ports) {
            ports.push_back(finder.find(port));
        }
        if (entry.ports.empty()) {
            ports.emplace_back();  // every port
        }
        assign(book, entry.policy, ports, std::nullopt);
        for (const auto& [priority, policy] : entry.per_priority) {
            assign(book, policy, ports, priority);
        }
    }
    std::vector<std::optional<bool>> host_facing(inventory.ports.size());
    for (const auto& role : file.roles) {
        if (const auto port = finder.find(role.port)) {
            host_facing[*port] = role.host_facing;
        }
    }
    if (!complaints.empty()) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    for (auto& row : inventory.rows) {
        row.host_facing = host_facing.at(row.target.port.index).value_or(row.host_facing);
    }
    return book;
}

}  // namespace petrel::codec

#include "codec/exec/exec_names.hpp"

namespace petrel::codec {

ExecNames::ExecNames(const watchdog::Inventory& inventory)
{
    const auto device = inventory.rows.empty() ? DeviceId{} : inventory.rows.front().target.port.device;
    const auto add = [this](const std::string& name, const Target& target) {
        const auto [at, is_new] = targets_.emplace(name, target);
        if (!is_new && at->second != target && ambiguous_.empty()) {
            ambiguous_ = name;
        }
    };
    for (std::size_t port = 0; port != inventory.ports.size(); ++port) {
        add(inventory.ports[port].name, {{device, static_cast<std::uint16_t>(port)}, std::nullopt});
    }
    for (std::uint32_t row = 0; row != inventory.rows.size(); ++row) {
        const auto& target = inventory.rows[row].target;
        names_.push_back(to_string(inventory, target));
        add(names_.back(), target);
        rows_.emplace(names_.back(), Slot{row});
    }
}

std::optional<Slot> ExecNames::row(std::string_view name) const
{
    const auto at = rows_.find(name);
    return at == rows_.end() ? std::nullopt : std::optional{at->second};
}

std::optional<Target> ExecNames::target(std::string_view name) const
{
    const auto at = targets_.find(name);
    return at == targets_.end() ? std::nullopt : std::optional{at->second};
}

}  // namespace petrel::codec

#include "fleet/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/complaint_text.hpp"

namespace petrel::fleet {
namespace {

using Names = std::set<std::string>;

tl::unexpected<Error> refused(std::string why) { return tl::unexpected(Error{ErrorKind::invalid, std::move(why)}); }

Result<void> check_known(std::string_view what, const std::vector<std::string>& wanted, const Names& known)
{
    for (const auto& name : wanted) {
        if (!known.contains(name)) {
            const std::vector<std::string_view> names{known.begin(), known.end()};
            return refused(fmt::format("no {} '{}'; {}", what, excerpt(name),
                                       names.empty() ? "none is known" : instead_of(name, names)));
        }
    }
    return {};
}

bool has(const std::vector<std::string>& list, const std::string& name)
{
    return std::ranges::find(list, name) != list.end();
}

}  // namespace

Result<std::vector<std::string>> select(const Order& order, const KnownAgents& known)
{
    const auto& wanted = order.selection;
    if (wanted.empty() && !order.reads) {
        return refused("the order names no agent: allowed agents, racks, roles, devices or all");
    }
    Names agents = known.agents;
    Names racks;
    Names roles;
    Names devices;
    std::map<std::string, const AgentPlace*> place_of;
    for (const auto& place : known.places) {
        agents.insert(place.agent);
        racks.insert(place.rack);
        roles.insert(place.role);
        place_of[place.agent] = &place;
    }
    Names of_devices;
    for (const auto& [device, agent] : known.of_device) {
        devices.insert(device);
        if (has(wanted.devices, device)) {
            of_devices.insert(agent);
        }
    }
    for (const auto& checked :
         {check_known("agent", wanted.agents, agents), check_known("rack", wanted.racks, racks),
          check_known("role", wanted.roles, roles), check_known("device", wanted.devices, devices)}) {
        if (!checked) {
            return tl::unexpected(checked.error());
        }
    }
    std::vector<std::string> chosen;
    for (const auto& agent : agents) {
        const auto place = place_of.find(agent);
        const bool placed = place != place_of.end();
        if ((wanted.agents.empty() || has(wanted.agents, agent)) &&
            (wanted.racks.empty() || (placed && has(wanted.racks, place->second->rack))) &&
            (wanted.roles.empty() || (placed && has(wanted.roles, place->second->role))) &&
            (wanted.devices.empty() || of_devices.contains(agent))) {
            chosen.push_back(agent);
        }
    }
    if (chosen.empty()) {
        return refused("no agent fits the selection");
    }
    return chosen;
}

}  // namespace petrel::fleet

#include "manager/report_desk.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/complaint_text.hpp"
#include "codec/manager/view_json.hpp"

namespace petrel::manager {

Result<ReportDesk::Taken> ReportDesk::take(const codec::Report& report, const std::string& from, Now now)
{
    Taken taken{report.agent, {}, {report.names.begin(), report.names.end()}};
    for (const auto& one : report.events) {
        taken.devices.insert(one.event.device);
    }
    for (const auto& state : report.devices) {
        taken.devices.insert(state.device);
    }
    for (const auto& storms : report.storms) {
        taken.devices.insert(storms.device);
    }
    for (const auto& [device, first] : report.recounts) {
        taken.devices.insert(device);
    }
    if (const auto other = other_agent(report.agent, taken.devices, now.mono); !other.empty()) {
        return tl::unexpected(Error{ErrorKind::denied, other});
    }
    agents_heard_[report.agent] = now.mono;
    taken.manager = name_for(report);
    const bool late = !report.manager.empty() && report.manager != taken.manager;
    if (late || !report.names.empty()) {
        auto usable = report;
        if (late) {  // this process may have older files: events here would hide that earlier ones are missing
            usable.events.clear();
            usable.storms.clear();
        }
        usable.recounts.clear();
        if (manager_.agents().contains(report.agent)) {
            usable.boot.clear();  // perhaps of an earlier process; that of the present one comes with its next report
        }
        manager_.take(usable, from, now);
    } else {
        manager_.take(report, from, now);
    }
    return taken;
}

std::string ReportDesk::name_for(const codec::Report& report)
{
    auto& session = sessions_[report.agent];
    if (!report.names.empty() && session.boot != report.boot) {
        session = {report.boot, session.number + (session.boot.empty() ? 0U : 1U)};
    }
    return session.number == 0 ? boot_ : fmt::format("{}.{}", boot_, session.number);
}

// Two devices with the same name would be one here, and each would hide events of the other. Empty: there are none.
std::string ReportDesk::other_agent(const std::string& agent, const std::set<std::string>& devices, Instant now) const
{
    for (const auto& device : devices) {
        const auto other = manager_.agent_of(device);
        const auto heard = agents_heard_.find(other);
        if (other != agent && heard != agents_heard_.end() && now - heard->second < silent_after_) {
            return fmt::format(
                "the device '{}' is reported by the agent '{}': give one of them another name ([[device]] name)",
                excerpt(device), excerpt(other));
        }
    }
    return {};
}

std::string ReportDesk::answer(const Taken& taken, WallTime now) const
{
    std::vector<std::pair<std::string, fabric::Position>> last;
    for (const auto& device : taken.devices) {
        last.emplace_back(device, manager_.store().last(device));
    }
    return codec::stored_json(taken.manager, last, manager_.to_clear(taken.agent, now), now);
}

}  // namespace petrel::manager

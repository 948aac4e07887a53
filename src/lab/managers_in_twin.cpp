#include "lab/managers_in_twin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace petrel::lab {

namespace {

using scenario::NodeId;
using twin::Ps;

fabric::Cables cables_of(const topology::Topology& topology)
{
    const auto name = [&](const topology::End& end) {
        const auto& node = topology.nodes[end.node.value];
        return fabric::PortName{node.name, node.ports[end.port].name};
    };
    fabric::Cables cables;
    for (const auto& link : topology.links) {
        cables.emplace_back(name(link.ends[0]), name(link.ends[1]));
    }
    return cables;
}

Now now_of(Ps at) { return {twin::to_instant(at), WallTime{std::chrono::microseconds{at / twin::kUs}}}; }

Ps in_ps(Duration d) { return static_cast<Ps>(d.count()) * twin::kNs; }

}  // namespace

ManagersInTwin::ManagersInTwin(twin::Twin& twin, const scenario::Scenario& scenario)
    : twin_(twin), faults_(scenario.manager_faults), faster_(scenario.manager->faster)
{
    std::ranges::sort(faults_, {}, &scenario::ManagerFault::at);
    const auto cables = cables_of(scenario.setup.topology);
    for (std::uint32_t number = 0; number != scenario.manager->managers; ++number) {
        managers_.emplace_back(fmt::format("manager{}", number + 1), cables,
                               fabric::FabricView::kSilentAfter / faster_);
        managers_.back().start();
    }
    for (const auto& fault : faults_) {
        if (const auto* start = std::get_if<scenario::StartManager>(&fault.what);
            start != nullptr && start->store == scenario::StartManager::Store::copy) {
            copies_[start->copied_at];
        }
    }
}

Reporting ManagersInTwin::reporting(NodeId node)
{
    auto& outgoing = outgoing_[node];
    return {uplink::Pace{}.faster(faster_), [&outgoing](std::uint64_t number, std::string report) {
                outgoing.push_back({0, number, 0, {}, std::move(report)});
            }};
}

void ManagersInTwin::add(NodeId node, AgentInTwin& agent) { agents_.push_back({node, &agent, {}}); }

const manager::Manager* ManagersInTwin::in_use() const
{
    return managers_[used_].runs() ? &managers_[used_].manager() : nullptr;
}

bool ManagersInTwin::reports(const std::string& device) const
{
    const auto shown = in_use()->view().devices(twin::to_instant(twin_.now()));
    const auto found = std::ranges::find(shown, device, &fabric::ShownDevice::name);
    return found != shown.end() && found->sight.reports;
}

std::optional<Ps> ManagersInTwin::heard_at(const Agent& of) const
{
    const auto at = of.heard.find(used_);
    return at == of.heard.end() ? std::nullopt : std::optional{at->second};
}

HistoryFindings ManagersInTwin::compare_history(const Agent& of) const
{
    return lab::compare_history(of.agent->written(), managers_[used_].history(of.agent->name()));
}

// A report that arrives is answered in the same turn.
void ManagersInTwin::turn()
{
    meet_faults();
    for (std::size_t i = 0; i != agents_.size(); ++i) {
        for (auto& message : std::exchange(outgoing_[agents_[i].node], {})) {
            message.agent = i;
            message.manager = used_;
            send(std::move(message));
        }
    }
    deliver_reports();
    deliver_answers();
    for (auto& [at, image] : copies_) {
        if (image.empty() && at <= twin_.now()) {
            image = managers_[used_].image();
        }
    }
}

void ManagersInTwin::meet_faults()
{
    const auto now = twin_.now();
    std::erase_if(disturbances_, [&](const Disturbance& one) { return one.how.until <= now; });
    while (!faults_.empty() && faults_.front().at <= now) {
        std::visit([this](const auto& fault) { meet(fault); }, faults_.front().what);
        faults_.erase(faults_.begin());
    }
}

void ManagersInTwin::meet(const scenario::DisturbMessages& how)
{
    disturbances_.push_back({how, std::mt19937_64{how.seed}});
}

void ManagersInTwin::meet(const scenario::KillManager& how) { managers_[how.manager].kill(how); }

void ManagersInTwin::meet(const scenario::StartManager& how)
{
    using Store = scenario::StartManager::Store;
    auto& manager = managers_[how.manager];
    for (auto& agent : agents_) {
        agent.heard.erase(how.manager);
    }
    switch (how.store) {
    case Store::kept: manager.start(); break;
    case Store::copy: manager.start(copies_.at(how.copied_at)); break;
    case Store::lost: manager.start(ManagerInTwin::Image{}); break;
    }
}

void ManagersInTwin::meet(const scenario::UseManager& how) { used_ = how.manager; }

bool ManagersInTwin::Disturbance::concerns(const Message& message, NodeId node) const
{
    using Which = scenario::DisturbMessages::Which;
    const bool here = how.devices.empty() || std::ranges::find(how.devices, node) != how.devices.end();
    return here && (how.which == Which::both || (how.which == Which::answers) == message.answer.has_value());
}

Ps ManagersInTwin::Disturbance::late()
{
    return static_cast<Ps>(random() % (static_cast<std::uint64_t>(in_ps(how.takes)) + 1));
}

bool ManagersInTwin::reachable(NodeId node) const { return twin_.is_switch(node) || twin_.nic_view(node).link_up(); }

void ManagersInTwin::send(Message message)
{
    using What = scenario::DisturbMessages::What;
    const auto node = agents_[message.agent].node;
    bool lost = !reachable(node);
    auto at = twin_.now();
    std::vector<Ps> again;
    for (auto& one : disturbances_) {
        if (!one.concerns(message, node) || !one.happens()) {
            continue;
        }
        switch (one.how.what) {
        case What::lose: lost = true; break;
        case What::repeat: again.push_back(one.late()); break;
        case What::delay: at += one.late(); break;
        }
    }
    if (lost) {
        return;
    }
    for (const auto later : again) {
        under_way_.emplace(at + later, message);
    }
    under_way_.emplace(at, std::move(message));
}

std::vector<ManagersInTwin::Message> ManagersInTwin::due(bool answers)
{
    std::vector<Message> all;
    for (auto next = under_way_.begin(); next != under_way_.end() && next->first <= twin_.now();) {
        if (next->second.answer.has_value() == answers) {
            all.push_back(std::move(next->second));
            next = under_way_.erase(next);
        } else {
            ++next;
        }
    }
    return all;
}

void ManagersInTwin::deliver_reports()
{
    const auto now = now_of(twin_.now());
    std::map<std::size_t, std::vector<Message>> by_manager;
    for (auto& message : due(false)) {
        managers_[message.manager].take(message.report, now);
        by_manager[message.manager].push_back(std::move(message));
    }
    for (auto& [number, messages] : by_manager) {
        auto answers = managers_[number].answers(now);
        for (std::size_t i = 0; i != messages.size(); ++i) {
            auto& from = agents_[messages[i].agent];
            // The manager cannot know which device a report is about that names none, unless an earlier one did.
            if (answers[i].good() && !managers_[number].manager().agent_of(from.agent->name()).empty()) {
                from.heard[number] = twin_.now();
            }
            send({messages[i].agent, messages[i].number, number, std::move(answers[i]), {}});
        }
    }
}

void ManagersInTwin::deliver_answers()
{
    for (auto& message : due(true)) {
        agents_[message.agent].agent->answer(message.number, *message.answer, twin_.now());
    }
}

}  // namespace petrel::lab

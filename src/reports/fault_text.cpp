// [[fault]] as sentences.
#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "link/reasons.hpp"
#include "reports/scenario_text.hpp"
#include "reports/scenario_words.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using scenario::NodeId;
using scenario::Scenario;
using topology::Topology;
using twin::Ps;

const std::string& name_of(NodeId node, const Topology& topology) { return topology.nodes[node.value].name; }

std::string link_text(std::uint32_t link, const Topology& topology)
{
    const auto& ends = topology.links[link].ends;
    return fmt::format("{} — {}", port_text(ends[0], topology), port_text(ends[1], topology));
}

// One overload per kind of fault: a new kind without a description does not compile.
class FaultText {
public:
    explicit FaultText(const Topology& topology) : topology_(topology) {}

    std::string operator()(const scenario::StartStorm& fault) const
    {
        const auto& storm = fault.storm;
        auto text = fmt::format("{}'s NIC storms: a pause frame for {} every {}", name(fault.host),
                                priority_text(storm.priorities), time_text(storm.period));
        if (storm.burst != 0) {
            text += fmt::format(", for {} at a time with {} of silence between", time_text(storm.burst),
                                time_text(storm.silence));
        }
        if (storm.xon_every != 0) {
            text += fmt::format(", one in {} of them an XON", storm.xon_every);
        }
        return text + (storm.stop == twin::kForever ? ", without end" : ", until " + time_text(storm.stop));
    }
    std::string operator()(const scenario::StopStorms& fault) const
    {
        return fmt::format("{}'s NIC stops storming", name(fault.host));
    }
    std::string operator()(const scenario::StopPipeline& fault) const
    {
        return fmt::format("{}'s NIC takes in no more frames and pauses its switch when its buffer is full",
                           name(fault.host));
    }
    std::string operator()(const scenario::LimitPipeline& fault) const
    {
        return fmt::format("{}'s NIC takes in no more than {}", name(fault.host),
                           rate_text(static_cast<double>(fault.rate.bps)));
    }
    std::string operator()(const scenario::HealPipeline& fault) const
    {
        return fmt::format("{}'s NIC takes in frames at full speed again", name(fault.host));
    }
    std::string operator()(const scenario::KillHost& fault) const
    {
        return fmt::format("{} dies: it neither sends nor receives", name(fault.host));
    }
    std::string operator()(const scenario::RebootHost& fault) const
    {
        return fmt::format("{} is rebooted", name(fault.host));
    }
    std::string operator()(const scenario::CutLink& fault) const
    {
        return fmt::format("the cable {} is cut", link_text(fault.link, topology_));
    }
    std::string operator()(const scenario::RepairLink& fault) const
    {
        return fmt::format("the cable {} is repaired", link_text(fault.link, topology_));
    }
    std::string operator()(const scenario::SetSpeed& fault) const
    {
        return fmt::format("the link {} goes down for {} and comes up with {}{}", link_text(fault.link, topology_),
                           time_text(fault.down), rate_text(static_cast<double>(fault.speed.bps)),
                           fault.lanes == twin::kLanes ? "" : fmt::format(" on {} lanes", fault.lanes));
    }
    std::string operator()(const scenario::LoseLanes& fault) const
    {
        return fmt::format("the link {} has only {} of its {} lanes left", link_text(fault.link, topology_),
                           fault.lanes, twin::kLanes);
    }
    std::string operator()(const scenario::SwitchPort& fault) const
    {
        return fmt::format("port {} is switched {}", port_text(fault.end, topology_), fault.on ? "on" : "off");
    }
    std::string operator()(const scenario::TakeDown& fault) const
    {
        return fmt::format("port {} takes its link down{}: {}", port_text(fault.end, topology_),
                           fault.down.send_reason ? "" : " without a word", link::code_text(fault.down.reason));
    }
    std::string operator()(const scenario::LosePower& fault) const
    {
        return fmt::format("port {} loses its power", port_text(fault.end, topology_));
    }
    std::string operator()(const scenario::SlowPort& fault) const
    {
        return fmt::format("port {} sends {}, though its link is up and its peer does not pause it",
                           port_text(fault.end, topology_),
                           fault.rate ? "no more than " + rate_text(static_cast<double>(fault.rate->bps)) : "no data");
    }
    std::string operator()(const scenario::HealPort& fault) const
    {
        return fmt::format("port {} sends at full speed again", port_text(fault.end, topology_));
    }
    std::string operator()(const scenario::Reroute& fault) const
    {
        if (fault.without.empty()) {
            return "all switches use their original routes again";
        }
        std::vector<std::string> links;
        for (const auto link : fault.without) {
            links.push_back(link_text(link, topology_));
        }
        return fmt::format("all switches route around {}", listed(links));
    }
    std::string operator()(const scenario::SetRoute& fault) const
    {
        if (fault.ports.empty()) {
            return fmt::format("{} loses its route to {}", name(fault.at), name(fault.to));
        }
        std::vector<std::string> ports;
        for (const auto port : fault.ports) {
            ports.push_back(topology_.nodes[fault.at.value].ports[port].name);
        }
        return fmt::format("{} sends frames for {} out of {}", name(fault.at), name(fault.to), listed(ports));
    }
    std::string operator()(const scenario::SetAlpha& fault) const
    {
        const auto& ports = topology_.nodes[fault.at.value].ports;
        return fmt::format("{} changes alpha of priority group {} to 2^{} on {}", name(fault.at), fault.group,
                           fault.exponent,
                           fault.ports.size() == ports.size() ? "all ports"
                           : fault.ports.size() == 1          ? ports[fault.ports.front()].name
                                                              : count_text(fault.ports.size(), "port"));
    }

private:
    const std::string& name(NodeId node) const { return name_of(node, topology_); }

    const Topology& topology_;
};

std::string_view failure_text(device::FaultyDevice::Fault how)
{
    using Fault = device::FaultyDevice::Fault;
    switch (how) {
    case Fault::none: break;
    case Fault::refuse: return "refuses";
    case Fault::fail: return "fails";
    case Fault::time_out: return "neither performs nor answers";
    case Fault::answer_late: return "performs, but answers too late,";
    case Fault::have_no_effect: return "confirms, but does not perform,";
    case Fault::fail_halfway: return "fails after the first register of";
    }
    return {};
}

std::string spell_text(const scenario::Spell& spell)
{
    constexpr auto kAll = scenario::Spell{}.calls;
    auto text = spell.calls == kAll ? std::string{"every write"} : count_text(spell.calls, "write");
    return spell.until == twin::kForever ? text : text + " until " + time_text(spell.until);
}

std::string until_text(Ps until) { return until == twin::kForever ? std::string{} : " until " + time_text(until); }

// Faults of a device's agent, or of the device itself.
class AgentFaultText {
public:
    AgentFaultText(NodeId device, const Topology& topology)
        : device_(name_of(device, topology)), ports_(topology.nodes[device.value].ports)
    {}

    std::string operator()(const scenario::KillAgent& fault) const
    {
        using When = scenario::KillAgent::When;
        return fmt::format("the agent of {} dies{}", device_,
                           fault.when == When::at_once      ? ""
                           : fault.when == When::remembered ? " when it has written its state"
                           : fault.when == When::halfway
                               ? " when a command has written the first of its registers"
                               : fmt::format(" in a command, at the step {}", device::name(fault.step)));
    }
    std::string operator()(const scenario::StartAgent& fault) const
    {
        using Memory = scenario::StartAgent::Memory;
        return fmt::format("the agent of {} starts again{}", device_,
                           fault.memory == Memory::kept   ? ""
                           : fault.memory == Memory::torn ? ", and the last record of its memory is torn"
                                                          : ", and its memory is lost");
    }
    std::string operator()(const scenario::DelayLooks& fault) const
    {
        return fmt::format("every look at {} takes {} ms{}", device_, whole_ms(fault.takes), until_text(fault.until));
    }
    std::string operator()(const scenario::FailLooks& fault) const
    {
        return fmt::format("every look at {} fails{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::FreezeCounters& fault) const
    {
        return fmt::format("the counters of {} stand still{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::RestartCounters& fault) const
    {
        return fmt::format("the counters of {} restart{}{}", device_,
                           fault.wraps_after ? fmt::format(" {} below 2^32, where they wrap", *fault.wraps_after) : "",
                           fault.reported ? "" : ", and the device does not report it");
    }
    std::string operator()(const scenario::CorruptCounters& fault) const
    {
        return fmt::format("half of the counters of {} are wrong{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::CorruptStamps& fault) const
    {
        return fmt::format("the time stamps of {} are wrong by up to {} ms{}", device_,
                           static_cast<double>(fault.by.count()) / 1e6, until_text(fault.until));
    }
    std::string operator()(const scenario::StepClock& fault) const
    {
        return fmt::format("the wall clock of {} jumps by {} s", device_, static_cast<double>(fault.by.count()) / 1e6);
    }
    std::string operator()(const scenario::FailWrites& fault) const
    {
        return fmt::format("{} {} {}", device_, failure_text(fault.how), spell_text(fault.spell));
    }
    std::string operator()(const scenario::LieInReadBack& fault) const
    {
        return fmt::format("{} reports after {} that {} is in force", device_, spell_text(fault.spell),
                           watchdog::name(fault.shown));
    }
    std::string operator()(const scenario::GiveOrder& fault) const
    {
        return fmt::format("the agent of {} is ordered: {}", device_, watchdog::name(fault.order.kind));
    }
    std::string operator()(const scenario::SetPolicy& fault) const
    {
        std::vector<std::string> policies;
        for (const auto& policy : fault.book.policies) {
            policies.push_back(policy.name);
        }
        return fmt::format("the agent of {} is given policy {}", device_, listed(policies));
    }
    std::string operator()(const scenario::Reload&) const
    {
        return fmt::format("the agent of {} reads its configuration again", device_);
    }
    std::string operator()(const scenario::RemovePort& fault) const
    {
        return fmt::format("{} is without its port {}{}", device_, ports_[fault.port].name, until_text(fault.until));
    }
    std::string operator()(const scenario::SlowDisk& fault) const
    {
        return fmt::format("every write to the disk of {} takes {} ms{}", device_, whole_ms(fault.takes),
                           until_text(fault.until));
    }
    std::string operator()(const scenario::FullDisk& fault) const
    {
        return fmt::format("the disk of {} is full{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::SlowWrites& fault) const
    {
        return fmt::format("every command to {} takes {} ms{}", device_, whole_ms(fault.takes),
                           until_text(fault.until));
    }
    std::string operator()(const scenario::DelayWrites& fault) const
    {
        return fmt::format("a write to {} takes effect {} ms after it succeeds{}", device_, whole_ms(fault.takes),
                           until_text(fault.until));
    }
    std::string operator()(const scenario::HangDevice& fault) const
    {
        return fmt::format("calls of {} do not return{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::LoseNotices& fault) const
    {
        return fmt::format("notices of {} are lost{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::DelayNotices& fault) const
    {
        return fmt::format("notices of {} arrive{} up to {} ms late{}", device_, fault.twice ? " twice," : "",
                           whole_ms(fault.takes), until_text(fault.until));
    }

private:
    const std::string& device_;
    const std::vector<PortNames>& ports_;
};

class ManagerFaultText {
public:
    explicit ManagerFaultText(const Scenario& scenario) : scenario_(scenario) {}

    std::string operator()(const scenario::DisturbMessages& fault) const
    {
        using What = scenario::DisturbMessages::What;
        using Which = scenario::DisturbMessages::Which;
        const auto share = fault.percent == 100 ? std::string{} : fmt::format("{} % of ", fault.percent);
        const auto* which = fault.which == Which::reports   ? "reports"
                            : fault.which == Which::answers ? "answers of the manager"
                                                            : "reports and answers of the manager";
        const auto of = fault.devices.empty()
                            ? std::string{}
                            : fmt::format(" of {}", node_text(fault.devices, scenario_.setup.topology));
        const auto late =
            fault.takes == Duration::zero() ? std::string{} : fmt::format(" up to {} ms late", whole_ms(fault.takes));
        const auto what = fault.what == What::lose     ? std::string{"are lost"}
                          : fault.what == What::repeat ? fmt::format("arrive a second time{}", late)
                                                       : fmt::format("arrive{}", late);
        return fmt::format("{}{}{} {}{}", share, which, of, what, until_text(fault.until));
    }
    std::string operator()(const scenario::KillManager& fault) const
    {
        using When = scenario::KillManager::When;
        return fmt::format("{} dies{}", name(fault.manager),
                           fault.when == When::taken    ? " when it has received the next report"
                           : fault.when == When::stored ? " when it has stored the next report"
                                                        : "");
    }
    std::string operator()(const scenario::StartManager& fault) const
    {
        using Store = scenario::StartManager::Store;
        return fmt::format("{} starts {}", name(fault.manager),
                           fault.store == Store::kept ? std::string{"with its store"}
                           : fault.store == Store::copy
                               ? fmt::format("with a copy of the store from {}", time_text(fault.copied_at))
                               : std::string{"without a store"});
    }
    std::string operator()(const scenario::UseManager& fault) const
    {
        return fmt::format("the agents report to {}", name(fault.manager));
    }

private:
    std::string name(std::uint32_t number) const
    {
        return scenario_.manager->managers == 1 ? std::string{"the manager"} : fmt::format("manager {}", number + 1);
    }

    const Scenario& scenario_;
};

}  // namespace

std::vector<TimedText> fault_timeline(const Scenario& scenario)
{
    const auto& topology = scenario.setup.topology;
    std::vector<TimedText> all;
    for (const auto& fault : scenario.faults) {
        all.push_back({fault.at, std::visit(FaultText{topology}, fault.what)});
    }
    for (const auto& fault : scenario.agent_faults) {
        all.push_back({fault.at, std::visit(AgentFaultText{fault.device, topology}, fault.what)});
    }
    for (const auto& fault : scenario.manager_faults) {
        all.push_back({fault.at, std::visit(ManagerFaultText{scenario}, fault.what)});
    }
    std::vector<TimedText> sorted;
    for (const auto* one : by_time(all, [](const TimedText& fault) { return fault.at; })) {
        sorted.push_back(*one);
    }
    return sorted;
}

}  // namespace petrel::reports

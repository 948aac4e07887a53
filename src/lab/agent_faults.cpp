#include "lab/agent_faults.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace petrel::lab {

namespace {

using device::FaultyDevice;
using twin::Ps;

class Schedule {
public:
    Schedule(AgentInTwin& agent, Ps at) : agent_(agent), at_(at) {}

    std::vector<Complaint> complaints;

    void operator()(const scenario::KillAgent& fault) { agent_.kill(at_, fault); }
    void operator()(const scenario::StartAgent& fault) { agent_.start(at_, fault); }
    void operator()(const scenario::DelayLooks& fault) { takes_long(fault, &AgentInTwin::looks_take); }
    void operator()(const scenario::FailLooks& fault)
    {
        fail(FaultyDevice::Call::look, FaultyDevice::Fault::fail, {.until = fault.until});
    }
    void operator()(const scenario::FreezeCounters& fault)
    {
        from_until(
            fault.until, [](FaultyDevice& device) { device.freeze_counters(); },
            [](FaultyDevice& device) { device.thaw_counters(); });
    }
    void operator()(const scenario::RestartCounters& fault)
    {
        agent_.on_device(at_,
                         [fault](FaultyDevice& device) { device.restart_counters(fault.reported, fault.wraps_after); });
    }
    void operator()(const scenario::CorruptCounters& fault)
    {
        from_until(
            fault.until, [seed = fault.seed](FaultyDevice& device) { device.corrupt_counters(seed); },
            [](FaultyDevice& device) { device.correct_counters(); });
    }
    void operator()(const scenario::CorruptStamps& fault)
    {
        from_until(
            fault.until, [fault](FaultyDevice& device) { device.corrupt_stamps(fault.by, fault.seed); },
            [](FaultyDevice& device) { device.correct_stamps(); });
    }
    void operator()(const scenario::StepClock& fault) { agent_.step_wall_clock(fault.by, at_); }
    void operator()(const scenario::FailWrites& fault) { fail(FaultyDevice::Call::apply, fault.how, fault.spell); }
    void operator()(const scenario::LieInReadBack& fault)
    {
        from_until(
            fault.spell.until, [fault](FaultyDevice& device) { device.lie_next(fault.shown, fault.spell.calls); },
            [](FaultyDevice& device) { device.lie_next({}, 0); });
    }
    void operator()(const scenario::GiveOrder& fault) { agent_.order(fault.order, at_); }
    void operator()(const scenario::SetPolicy& fault)
    {
        if (auto changed = agent_.change(fault.book, at_); !changed) {
            complaints = std::move(changed.error());
        }
    }
    void operator()(const scenario::Reload&) { agent_.reload(at_); }
    void operator()(const scenario::RemovePort& fault)
    {
        agent_.set_port(fault.port, false, at_);
        if (fault.until != twin::kForever) {
            agent_.set_port(fault.port, true, fault.until);
        }
    }
    void operator()(const scenario::SlowDisk& fault) { takes_long(fault, &AgentInTwin::disk_writes_take); }
    void operator()(const scenario::FullDisk& fault) { switch_on(fault, &AgentInTwin::fill_disk); }
    void operator()(const scenario::SlowWrites& fault) { takes_long(fault, &AgentInTwin::commands_take); }
    void operator()(const scenario::DelayWrites& fault) { takes_long(fault, &AgentInTwin::writes_take_effect_after); }
    void operator()(const scenario::HangDevice& fault) { agent_.hang(fault.until, at_); }
    void operator()(const scenario::LoseNotices& fault) { switch_on(fault, &AgentInTwin::lose_notices); }
    void operator()(const scenario::DelayNotices& fault)
    {
        agent_.delay_notices(fault, at_);
        if (fault.until != twin::kForever) {
            agent_.delay_notices({}, fault.until);
        }
    }

private:
    template <class Fault>
    void takes_long(const Fault& fault, void (AgentInTwin::*set)(Duration, Ps))
    {
        (agent_.*set)(fault.takes, at_);
        if (fault.until != twin::kForever) {
            (agent_.*set)(Duration::zero(), fault.until);
        }
    }

    template <class Fault>
    void switch_on(const Fault& fault, void (AgentInTwin::*set)(bool, Ps))
    {
        (agent_.*set)(true, at_);
        if (fault.until != twin::kForever) {
            (agent_.*set)(false, fault.until);
        }
    }

    template <class Begin, class End>
    void from_until(Ps until, Begin begin, End end)
    {
        agent_.on_device(at_, begin);
        if (until != twin::kForever) {
            agent_.on_device(until, end);
        }
    }

    void fail(FaultyDevice::Call call, FaultyDevice::Fault how, const scenario::Spell& spell)
    {
        from_until(
            spell.until, [=](FaultyDevice& device) { device.next(call, how, spell.calls); },
            [=](FaultyDevice& device) { device.next(call, how, 0); });
    }

    AgentInTwin& agent_;
    Ps at_;
};

}  // namespace

std::vector<Complaint> schedule(std::span<const scenario::AgentFault> faults, twin::NodeId device, AgentInTwin& agent)
{
    std::vector<Complaint> complaints;
    for (const auto& fault : faults) {
        if (fault.device == device) {
            Schedule schedule{agent, fault.at};
            std::visit(schedule, fault.what);
            std::move(schedule.complaints.begin(), schedule.complaints.end(), std::back_inserter(complaints));
        }
    }
    return complaints;
}

}  // namespace petrel::lab

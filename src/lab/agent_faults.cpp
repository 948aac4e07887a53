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

    void operator()(const scenario::KillAgent&) { agent_.kill(at_); }
    void operator()(const scenario::StartAgent& fault) { agent_.start(at_, fault); }
    void operator()(const scenario::DelayLooks& fault)
    {
        agent_.looks_take(fault.takes, at_);
        if (fault.until != twin::kForever) {
            agent_.looks_take(Duration::zero(), fault.until);
        }
    }
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
        agent_.on_device(at_, [reported = fault.reported](FaultyDevice& device) { device.restart_counters(reported); });
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
    void operator()(const scenario::SlowDisk& fault)
    {
        agent_.disk_writes_take(fault.takes, at_);
        if (fault.until != twin::kForever) {
            agent_.disk_writes_take(Duration::zero(), fault.until);
        }
    }
    void operator()(const scenario::FullDisk& fault)
    {
        agent_.fill_disk(true, at_);
        if (fault.until != twin::kForever) {
            agent_.fill_disk(false, fault.until);
        }
    }

private:
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

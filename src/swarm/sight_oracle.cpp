// The oracle about devices that cannot be seen.
#include <fmt/format.h>

#include "swarm/oracles.hpp"

namespace petrel::swarm {

namespace {

using Condition = runner::DeviceRunner::Condition;

class OutOfSight final : public Oracle {
public:
    explicit OutOfSight(const Case& of) : Oracle("device out of sight"), case_(of) {}

    void look(const Glance&, const Glance& now) override
    {
        for (const auto& device : now.devices) {
            const bool reported =
                device.condition == Condition::failing || device.condition == Condition::not_answering;
            if (!reported && out_of_sight(device, now.at)) {
                violated(
                    now.at, name(device.node),
                    fmt::format("The device cannot be seen and is reported as {}.", control::name(device.condition)));
            }
            const auto poll = in_ps(device.poll);
            if (reported && poll != 0 &&
                !case_.disturbances.any(device.node, now.at - std::min(now.at, kLooks * poll), now.at)) {
                violated(now.at, name(device.node),
                         fmt::format("The device can be seen and is reported as {}.", control::name(device.condition)));
            }
        }
    }

private:
    static constexpr Ps kLooks = 2;  // by then one look has begun and ended

    // One fault, and nothing else, keeps the agent from reading the device, for long enough.
    bool out_of_sight(const DeviceGlance& device, Ps now) const
    {
        const auto poll = kLooks * in_ps(device.poll);
        for (const auto& fault : case_.scenario.agent_faults) {
            if (fault.device != device.node || poll == 0 ||
                !case_.disturbances.at_most_one(device.node, fault.at, now)) {
                continue;
            }
            const auto* fails = std::get_if<scenario::FailLooks>(&fault.what);
            const auto* hangs = std::get_if<scenario::HangDevice>(&fault.what);
            // The runner looks for calls that hang four times in that time.
            const auto hang = in_ps(case_.scenario.hang_after) * 5 / 4 + twin::kMs;
            if ((fails != nullptr && now > fault.at + poll && now < fails->until) ||
                (hangs != nullptr && now > fault.at + poll + hang && now < hangs->until)) {
                return true;
            }
        }
        return false;
    }

    const std::string& name(NodeId node) const { return case_.scenario.setup.topology.nodes[node.value].name; }

    const Case& case_;
};

}  // namespace

std::unique_ptr<Oracle> out_of_sight(const Case& of) { return std::make_unique<OutOfSight>(of); }

}  // namespace petrel::swarm

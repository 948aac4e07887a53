#include "manager/agent_epochs.hpp"

#include <algorithm>

namespace petrel::manager {

fabric::Position AgentEpochs::place(const std::string& device, std::uint64_t number, WallTime at)
{
    auto& current = devices_[device];
    const bool counts_again = number >= current.kept_before && number <= current.highest && at > current.latest;
    if (!counts_again && number < current.first && current.epoch != 0) {
        return {current.epoch - 1, number};  // the agent kept this event when it began to count again behind it
    }
    const fabric::Position position{current.epoch + (counts_again ? 1U : 0U), number};
    current.add(position, at);
    if (counts_again) {
        current.first = number;
    }
    return position;
}

void AgentEpochs::begin(const std::string& device, fabric::Position position)
{
    if (auto& current = devices_[device]; position.epoch > current.epoch) {
        current = {position.epoch, position.number + 1, position.number, WallTime::min(), position.number + 1};
    }
}

void AgentEpochs::remember(const std::string& device, fabric::Position position, WallTime at)
{
    devices_[device].add(position, at);
}

void AgentEpochs::Epoch::add(fabric::Position position, WallTime at)
{
    if (position.epoch > epoch) {
        *this = {position.epoch, 0, 0, WallTime::min(), 0};
    }
    if (position.epoch == epoch) {
        highest = std::max(highest, position.number);
        latest = std::max(latest, at);
    }
}

}  // namespace petrel::manager

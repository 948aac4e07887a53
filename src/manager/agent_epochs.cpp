#include "manager/agent_epochs.hpp"

#include <algorithm>

namespace petrel::manager {

fabric::Position AgentEpochs::place(const std::string& device, std::uint64_t number, WallTime at)
{
    auto& current = devices_[device];
    const bool counts_again = number <= current.highest && at > current.latest;
    const fabric::Position position{current.epoch + (counts_again ? 1U : 0U), number};
    current.add(position, at);
    return position;
}

void AgentEpochs::remember(const std::string& device, fabric::Position position, WallTime at)
{
    devices_[device].add(position, at);
}

void AgentEpochs::Epoch::add(fabric::Position position, WallTime at)
{
    if (position.epoch > epoch) {
        *this = {position.epoch, 0, WallTime::min()};
    }
    if (position.epoch == epoch) {
        highest = std::max(highest, position.number);
        latest = std::max(latest, at);
    }
}

}  // namespace petrel::manager

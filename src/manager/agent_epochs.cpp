#include "manager/agent_epochs.hpp"

#include <algorithm>

namespace petrel::manager {

fabric::Position AgentEpochs::place(const std::string& device, std::uint64_t number, WallTime at)
{
    const auto& current = devices_[device];
    const bool counts_again = number <= current.highest && at > current.latest;
    const fabric::Position position{current.epoch + (counts_again ? 1U : 0U), number};
    remember(device, position, at);
    return position;
}

void AgentEpochs::remember(const std::string& device, fabric::Position position, WallTime at)
{
    auto& current = devices_[device];
    if (position.epoch > current.epoch) {
        current = {position.epoch, 0, WallTime::min()};
    }
    if (position.epoch == current.epoch) {
        current.highest = std::max(current.highest, position.number);
        current.latest = std::max(current.latest, at);
    }
}

}  // namespace petrel::manager

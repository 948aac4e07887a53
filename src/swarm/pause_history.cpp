#include "swarm/pause_history.hpp"

namespace petrel::swarm {

void PauseHistory::look(const Glance& before, const Glance& now)
{
    for (std::size_t q = 0; q < pauses_.size(); ++q) {
        const auto& was = before.queues[q];
        const auto& is = now.queues[q];
        const bool broken = was.pauses_ended != is.pauses_ended;
        if (was.paused && !pauses_[q].empty()) {
            pauses_[q].back().to = now.at;
        }
        // A pause that began between the two may also have ended there.
        if (was.paused ? is.paused && broken : is.paused || broken) {
            pauses_[q].push_back({now.at, before.at, now.at});
        }
        if (is.paused || was.paused || broken) {
            quiet_from_[q] = now.at;
        }
    }
}

}  // namespace petrel::swarm

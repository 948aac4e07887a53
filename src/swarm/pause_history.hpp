// The true pauses of a queue, as far as glances show them. A pause without a break is seen if the queue is paused at
// two glances and no pause ended between them. It began at most one glance earlier than it was seen.
#pragma once

#include <vector>

#include "swarm/glance.hpp"

namespace petrel::swarm {

struct TruePause {
    Ps from_least{};  // the pause began before this time
    Ps from_most{};   // and not before this time
    Ps to{};          // it ended before this time; while it goes on: the last glance
};

class PauseHistory {
public:
    explicit PauseHistory(std::size_t queues) : pauses_(queues), quiet_from_(queues) {}

    void look(const Glance& before, const Glance& now);

    // Oldest first. The last one goes on if the queue is paused now.
    const std::vector<TruePause>& pauses(std::uint32_t queue) const { return pauses_[queue]; }
    Ps quiet_from(std::uint32_t queue) const { return quiet_from_[queue]; }  // no pause since this time

private:
    std::vector<std::vector<TruePause>> pauses_;
    std::vector<Ps> quiet_from_;
};

}  // namespace petrel::swarm

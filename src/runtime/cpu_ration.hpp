// Keeps a thread below a share of one processor, so that clients that ask without a break do not take the processor
// from the threads that watch. A thread that was idle may use a burst first: a single request is answered at once.
#pragma once

#include <chrono>

#include "base/time.hpp"

namespace petrel::runtime {

class CpuRation {
public:
    // `longest_rest`: so long the most urgent request may have to wait. A thread that uses more in one turn than it can
    // make up for by such a rest gets more than its share.
    CpuRation(double share, Duration burst, Duration longest_rest)
        : share_(share), burst_(burst), longest_rest_(longest_rest), credit_(burst)
    {}

    // How long to rest, at this moment and after this much processor time of the thread.
    Duration rest(Instant now, Duration cpu);

    // Rests for so long, in the thread that calls it. Always the same one.
    void rest();

private:
    double share_;
    Duration burst_;
    Duration longest_rest_;
    Duration credit_;
    Instant last_now_{};
    Duration last_cpu_{};
};

// For threads that serve clients.
inline CpuRation clients_ration() { return {0.1, std::chrono::milliseconds{100}, std::chrono::milliseconds{100}}; }

}  // namespace petrel::runtime

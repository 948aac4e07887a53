// Keeps a thread below a share of one processor, so that clients that send requests without a break do not take the
// processor from the device threads and the loop. A thread that was idle may first use a burst, so that a single
// request is answered at once.
#pragma once

#include <chrono>

#include "base/time.hpp"

namespace petrel::runtime {

class CpuRation {
public:
    // `longest_rest`: the longest time for which a request may have to wait. If a thread uses so much in one turn that
    // it would have to rest longer, it gets more than its share.
    CpuRation(double share, Duration burst, Duration longest_rest)
        : share_(share), burst_(burst), longest_rest_(longest_rest), credit_(burst)
    {}

    // Returns how long to rest at `now`, when the thread has used `cpu` of processor time in total.
    Duration rest(Instant now, Duration cpu);

    // Puts the calling thread to sleep for that time. Always called by the same thread.
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

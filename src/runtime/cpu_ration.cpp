#include "runtime/cpu_ration.hpp"

#include <time.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "runtime/event_loop.hpp"

namespace petrel::runtime {

namespace {

Duration cpu_of_this_thread()
{
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

Duration scaled(Duration time, double by)
{
    return Duration{static_cast<Duration::rep>(static_cast<double>(time.count()) * by)};
}

}  // namespace

Duration CpuRation::rest(Instant now, Duration cpu)
{
    // A long idle time fills the credit. The bound keeps the product small.
    const auto idle = std::min<Duration>(now - std::exchange(last_now_, now), scaled(burst_, 1 / share_));
    credit_ = std::min(burst_, credit_ + scaled(idle, share_)) - (cpu - std::exchange(last_cpu_, cpu));
    credit_ = std::max(credit_, -scaled(longest_rest_, share_));
    return credit_ >= Duration{} ? Duration{} : scaled(-credit_, 1 / share_);
}

void CpuRation::rest()
{
    if (const auto time = rest(SystemClock{}.now().mono, cpu_of_this_thread()); time != Duration{}) {
        std::this_thread::sleep_for(time);
    }
}

}  // namespace petrel::runtime

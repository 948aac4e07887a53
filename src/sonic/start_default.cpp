#include "sonic/start_default.hpp"

#include <algorithm>

namespace petrel::sonic {

using std::chrono::milliseconds;

std::int64_t default_time_ms(std::size_t ports)
{
    constexpr std::int64_t kTimeOfGroup_ms = 200;
    constexpr std::size_t kPortsInGroup = 32;
    const auto groups = ports == 0 ? 1 : (ports - 1) / kPortsInGroup + 1;
    return kTimeOfGroup_ms * static_cast<std::int64_t>(groups);
}

void scale_as_start_default(watchdog::Policy& policy, std::size_t ports)
{
    constexpr milliseconds kLongestTime{5000};
    constexpr milliseconds kLongestPoll{1000};
    const milliseconds time{default_time_ms(ports)};
    policy.detect = policy.restore = std::min(time, kLongestTime);
    policy.poll = std::min(time, kLongestPoll);
    policy.action = watchdog::Treatment::drop;
}

}  // namespace petrel::sonic

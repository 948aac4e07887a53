// The numbers that SONiC gives its databases in Redis.
#pragma once

namespace petrel::daemon {

inline constexpr int kAppl = 0;
inline constexpr int kCounters = 2;
inline constexpr int kConfig = 4;
inline constexpr int kState = 6;

}  // namespace petrel::daemon

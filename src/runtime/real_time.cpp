#include "runtime/real_time.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace petrel::runtime {

namespace {

std::string refused(const char* what, const char* how)
{
    return std::string{what} + std::generic_category().message(errno) + " (" + how + ")";
}

// Under a limit, locking all memory to come would make a later allocation fail.
bool lock_memory()
{
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0 &&
        (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)) {
        errno = EPERM;
        return false;
    }
    return ::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
}

}  // namespace

std::string run_in_real_time()
{
    std::string missing;
    const sched_param lowest{::sched_get_priority_min(SCHED_FIFO)};
    if (::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) != 0) {
        missing = refused("no real-time priority: ", "CAP_SYS_NICE, or LimitRTPRIO=1 in the unit");
    }
    if (!lock_memory()) {
        missing += missing.empty() ? "" : "; ";
        missing += refused("memory may be swapped out: ", "CAP_IPC_LOCK, or LimitMEMLOCK=infinity in the unit");
    }
    return missing;
}

}  // namespace petrel::runtime

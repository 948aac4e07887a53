#include "runtime/boot.hpp"

#include <time.h>

#include "runtime/atomic_file.hpp"

namespace petrel::runtime {

Boot this_boot()
{
    static const auto id = [] {
        auto text = read_whole_file("/proc/sys/kernel/random/boot_id").value_or("");
        return text.substr(0, text.find('\n'));
    }();
    timespec up{};
    ::clock_gettime(CLOCK_BOOTTIME, &up);
    return {id, std::chrono::seconds{up.tv_sec} + std::chrono::nanoseconds{up.tv_nsec}};
}

}  // namespace petrel::runtime

#include "device/linux/nic_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace petrel::device::linux_nic {

std::string prevention_text(Prevention time)
{
    return time == Prevention{}          ? "off"
           : time == kShortestPrevention ? "its shortest time"
                                         : fmt::format("{} ms", time.count());
}

NicFacts read_facts(Kernel& kernel, const std::string& interface, const Vendor& vendor)
{
    NicFacts facts;
    if (vendor.counts_own_function) {
        facts.sharing = kernel.port_sharing(interface);
    }
    facts.refresh = vendor.refresh;
    if (vendor.refresh_is_set) {
        if (const auto interval = kernel.statistics_interval(interface)) {
            facts.refresh = interval->count() == 0 ? std::nullopt : std::optional<Duration>{*interval};
        }
    }
    return facts;
}

std::optional<std::string> monitored_only(const Vendor& vendor, const NicFacts& facts)
{
    if (facts.sharing.functions) {
        return fmt::format("virtual functions or subfunctions share the port of this NIC, and driver '{}' does not "
                           "count what they receive: it is monitored only",
                           vendor.driver);
    }
    if (vendor.refresh_is_set && !facts.refresh) {
        return fmt::format("driver '{}' never renews the counters of this NIC (stats-block-usecs is 0): it is "
                           "monitored only",
                           vendor.driver);
    }
    return std::nullopt;
}

Duration effective_detect(const NicFacts& facts, Duration wanted)
{
    return std::max(wanted, 2 * facts.refresh.value_or(Duration{}));
}

}  // namespace petrel::device::linux_nic

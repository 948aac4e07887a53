// What decides, besides the counters themselves, whether a NIC's counters can prove a stall: who shares its port, and
// how often they are renewed. Both may change while the agent runs.
#pragma once

#include <optional>
#include <string>

#include "base/time.hpp"
#include "device/linux/kernel.hpp"
#include "device/linux/vendor_table.hpp"

namespace petrel::device::linux_nic {

struct NicFacts {
    PortSharing sharing{};
    std::optional<Duration> refresh{};  // as in Vendor; none also if they are never renewed
    bool operator==(const NicFacts&) const = default;
};

NicFacts read_facts(Kernel&, const std::string& interface, const Vendor&);

// Why the NIC is monitored only; none: its counters decide (counter_reader.hpp).
std::optional<std::string> monitored_only(const Vendor&, const NicFacts&);

// Whether stall prevention needs no shorter time. Some NICs do not show which time kShortestPrevention is for them.
constexpr bool is_armed(Prevention now)
{
    return now == kShortestPrevention || (now != Prevention{} && now <= kLongestPrevention);
}
std::string prevention_text(Prevention);

// The detection time that is possible: two fresh samples at least.
Duration effective_detect(const NicFacts&, Duration wanted);

}  // namespace petrel::device::linux_nic

// Whether the agent watches every queue that SONiC's scripts would watch, and which configured queues cannot be seen.
//
// The scripts watch a queue that orchagent has registered and syncd polls. The agent watches it if a policy covers its
// row and its counters prove a pause. A queue that orchagent has not registered (it rejected the entry) is watched by
// neither: it is unseen, and no reason to put the scripts back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sonic/reader.hpp"

namespace petrel::device::sonic {

// Whether these counters can prove that a queue is paused without a break.
bool prove_pause(watchdog::Fields known);

// What the agent and CONFIG_DB make of a row.
struct Intent {
    bool watched{};     // a policy of the agent covers it
    bool configured{};  // PFC_WD has an entry for its port, and pfcwd_sw_enable its priority
};

struct Coverage {
    std::uint32_t by_scripts{};  // so many queues the scripts would watch
    std::string gap;             // the first that the agent does not, with the reason; empty: it watches them all

    bool complete() const { return by_scripts != 0 && gap.empty(); }
    bool operator==(const Coverage&) const = default;
};

Coverage coverage_of(const Reader&, std::span<const Intent>, const LayoutFacts&);

// Configured queues that no storm can be seen on. A queue that has just been configured gets `patience` to appear.
class Unseen {
public:
    void judge(const Reader&, std::span<const Intent>, const LayoutFacts&, Instant now, Duration patience);
    const std::vector<UnseenQueue>& queues() const { return queues_; }

private:
    std::vector<std::optional<Instant>> since_;  // by row
    std::vector<UnseenQueue> queues_;
};

}  // namespace petrel::device::sonic

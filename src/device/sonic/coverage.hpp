// Decides whether the agent watches every queue that SONiC's scripts would watch, and lists configured queues without
// counters.
//
// The scripts watch a queue that orchagent has registered and syncd polls. The agent watches it if a policy covers its
// row and its counters prove a pause. A queue that orchagent has not registered (it rejected the entry) is watched by
// neither the agent nor the scripts. It is unseen, and no reason to put the scripts back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sonic/reader.hpp"

namespace petrel::device::sonic {

// Whether these counters of a queue can prove that it is paused without a break. A pause state without the ends of
// pauses does only on a switch where no queue has better counters (held_pause.hpp).
bool prove_pause(watchdog::Fields known, watchdog::Fields of_switch);

// What the agent and CONFIG_DB want for a row.
struct Intent {
    bool watched{};     // a policy of the agent covers it
    bool configured{};  // PFC_WD has an entry for its port, and pfcwd_sw_enable its priority
};

struct Coverage {
    std::uint32_t by_scripts{};  // number of queues that the scripts would watch
    std::string gap;             // the first of them that the agent does not watch, and why; empty: there is none

    bool complete() const { return by_scripts != 0 && gap.empty(); }
    bool operator==(const Coverage&) const = default;
};

Coverage coverage_of(const Reader&, std::span<const Intent>, const LayoutFacts&);

// Configured queues on which no storm can be seen. A queue is listed after it has had no counters for `patience`.
class Unseen {
public:
    void judge(const Reader&, std::span<const Intent>, const LayoutFacts&, Instant now, Duration patience);
    const std::vector<UnseenQueue>& queues() const { return queues_; }

private:
    std::vector<std::optional<Instant>> since_;  // by row
    std::vector<UnseenQueue> queues_;
};

}  // namespace petrel::device::sonic

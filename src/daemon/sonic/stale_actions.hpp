// Finds actions of PFC_WD that orchagent shows and does not apply. orchagent takes the action of a queue when it
// registers the queue. If an entry gets another action in place, orchagent shows the new one in COUNTERS_DB and applies
// the old one, until the entry is removed and added again, as `pfcwd start` does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "daemon/nos.hpp"
#include "sonic/config.hpp"
#include "sonic/store.hpp"

namespace petrel::daemon {

class StaleActions {
public:
    // Takes a new configuration.
    void follow(const sonic::Config&);
    // Adds a log line for each new pair of actions. A change counts only at the second call after it: the removal of an
    // entry may be reported after the entry was read again.
    void confirm(std::vector<Log::Line>&);
    // Forgets ports whose queues orchagent has unregistered meanwhile: it was restarted. Reads at most once a second.
    Result<void> forget_unregistered(sonic::Store&, Instant now);

    std::string concern() const;  // empty: every action is applied

private:
    enum class Doubt : std::uint8_t { none, new_change, to_report, reported };
    struct Entry {
        watchdog::Treatment shown{};
        watchdog::Treatment applied{};
        Doubt doubt{};
        std::string queue;  // one of its queues: "Ethernet0:3"
    };
    using Names = std::vector<std::string>;
    using Actions = std::pair<watchdog::Treatment, watchdog::Treatment>;  // shown, applied

    std::map<Actions, Names> ports_in(Doubt) const;

    std::map<std::string, Entry> entries_;  // by port
    Instant check_at_{Instant::min()};
};

}  // namespace petrel::daemon

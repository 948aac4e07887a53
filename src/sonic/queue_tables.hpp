// The tables about each queue's watchdog that SONiC's tools and operators read, kept up to date by the agent:
// statistics and state in COUNTERS_DB, queues in storm in APPL_DB, watched queues in STATE_DB. For an agent that owns
// its switch; otherwise orchagent writes these.
//
// Reports are kept until they are written, and are written again if a database has lost them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "control/report.hpp"
#include "sonic/config.hpp"
#include "sonic/store.hpp"

namespace petrel::sonic {

// In STATE_DB from the first write of an agent that keeps these tables until it stops. It stays if the agent dies.
inline constexpr auto kAgentMark = "PETREL_PFC_WD|agent";

// True until the queue is restored, also while probing.
bool in_storm(const control::QueueReport&);

// SONiC's object ids: "oid:0x15000000000003".
struct QueueObject {
    std::string queue;
    std::string port;
};

class QueueTables {
public:
    void configure(const Config&);
    void update(const control::QueueReport&);
    // The queue does not exist any more: removes its entries, as retire() does.
    void forget(std::string_view port, std::uint8_t priority);

    // The databases may be older than what was written, whatever their marks show: the next write() writes everything.
    void start_over() { mark_.clear(); }

    // Writes what is not in the databases yet; everything if their marks are missing.
    Result<void> write(Store&);

    // The agent stops watching: removes the entries that show otherwise. Statistics stay, and so do queues in storm
    // whose mitigation is held.
    Result<void> retire(Store&);

    // Null: the queue was never reported, or nothing was written yet.
    const QueueObject* object(std::string_view port, std::uint8_t priority) const;

    const std::string* port_object(const std::string& port) const;

    // How often the marks were missing and everything was written again.
    std::uint64_t beginnings() const { return beginnings_; }

    // Visits all queues that were written.
    void each(const std::function<void(const control::QueueReport&, const QueueObject&)>&) const;

private:
    struct Settings {
        std::string detection_us;
        std::string restoration_us;  // empty = never
        std::string history;
    };
    struct Row {
        control::QueueReport queue;
        QueueObject object;
        bool gone{};
    };

    Result<void> learn_objects(Store&);
    Result<bool> left_alone(Store&);
    void mark_all();

    std::map<std::string, Settings> settings_;  // by port
    bool red_switch_{};
    std::map<std::string, Row, std::less<>> rows_;  // by name of queue, "Ethernet0:3"
    std::set<std::string, std::less<>> unwritten_;
    bool known_objects_{};
    Hash ports_;  // objects by name
    std::uint64_t beginnings_{};
    std::string mark_;  // ours in each database; it disappears if a database is flushed
};

}  // namespace petrel::sonic

// What SONiC's tools and operators read about the watchdog of each queue, kept in step with the agent: statistics and
// state in COUNTERS_DB, queues in storm in APPL_DB, watched queues in STATE_DB. For an agent that owns its switch;
// elsewhere orchagent writes these.
//
// What was told is kept until it is written, and is written again where a database has forgotten it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "codec/control_report.hpp"
#include "sonic/config.hpp"
#include "sonic/store.hpp"

namespace petrel::sonic {

// In STATE_DB from the first word of an agent that keeps these tables until it stops; it stays if the agent dies.
inline constexpr auto kAgentMark = "PETREL_PFC_WD|agent";

// Until it is restored: one that is tried out with its treatment lifted still is.
bool in_storm(const codec::QueueReport&);

// As SONiC names objects: "oid:0x15000000000003".
struct QueueObject {
    std::string queue;
    std::string port;
};

class QueueTables {
public:
    void configure(const Config&);
    void tell(const codec::QueueReport&);
    // There is no such queue any more: what was told of it is taken back, as by retire().
    void forget(std::string_view port, std::uint8_t priority);

    // The databases may be older than what was written, whatever their marks say: the next write is one of everything.
    void start_over() { mark_.clear(); }

    // Everything that is not in the databases yet; all of it if they are not as they were left.
    Result<void> write(Store&);

    // Nobody watches from now on: what says otherwise is taken back. Statistics stay, and so do queues in storm that
    // are held so.
    Result<void> retire(Store&);

    // Null: no such queue was told of, or nothing was written yet.
    const QueueObject* object(std::string_view port, std::uint8_t priority) const;

    const std::string* port_object(const std::string& port) const;

    // How often the databases were found other than they were left, and written anew.
    std::uint64_t beginnings() const { return beginnings_; }

    // Of all queues that were written.
    void each(const std::function<void(const codec::QueueReport&, const QueueObject&)>&) const;

private:
    struct Settings {
        std::string detection_us;
        std::string restoration_us;  // empty = never
        std::string history;
    };
    struct Row {
        codec::QueueReport queue;
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
    std::string mark_;  // ours in each database; it is gone where somebody has flushed one
};

}  // namespace petrel::sonic

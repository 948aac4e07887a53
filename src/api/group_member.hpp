// A manager that is one of several: reads the log that they share into its own store and view, and takes part in
// choosing the leader. Only the leader appends to the log, and it answers its clients only when the log and its own
// store have what they sent.
//
//   joining ──the log fits the store──▶ following ──the lease is mine──▶ claiming ──my claim is in the log──▶ leading
//      ▲                                 │  ▲ ▲                              │                                   │
//      └──────the log does not fit───────┘  └─┴─────another manager leads, or an append failed──────────────────┘
//
// A claim is an entry, like all others accepted only as the next one: so a leader has read the whole log, and a leader
// that was replaced without noticing cannot append. After an append that failed it is not known whether the entry is in
// the log: the manager reads on, and claims again.
//
// Contract: all calls are made in the loop's thread, and all callbacks run there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bus/bus.hpp"
#include "codec/group/log_entry.hpp"
#include "group/lease.hpp"
#include "manager/manager.hpp"
#include "runner/loop.hpp"
#include "runner/worker.hpp"

namespace petrel::api {

struct GroupOptions {
    std::shared_ptr<bus::Bus> bus;
    std::string url;              // where agents and clients reach this manager
    std::string issuer_digest{};  // of the certificate that issues those of agents; empty: none
};

class GroupMember {
public:
    using Events = std::vector<manager::StoredEvent>;
    struct Calls {
        // Entries of other managers are stored and applied.
        std::function<void(const Events&, std::span<const manager::Batch>)> applied;
        std::function<void()> leads;
        std::function<void(const Error&)> leads_no_more;
        std::function<void(const std::string& line)> log;
        std::function<void(std::string_view point)> reached;
    };
    struct Status {
        bool leads{};
        bool good{};             // it leads, or it follows a leader
        std::string leader;      // its URL; empty: none is known
        std::string trouble;     // unless it is good
        std::uint64_t entry{};   // the last one that is stored here
        std::uint64_t behind{};  // entries of the log that are not
    };

    struct Workers {
        std::unique_ptr<runner::Worker> log;
        std::unique_ptr<runner::Worker> lease;
    };
    static constexpr std::size_t kMostJobs = 4;  // of each worker

    // `me`: identifies this process.
    GroupMember(runner::Loop&, Workers, manager::Manager&, GroupOptions, std::string me, Calls);
    ~GroupMember();
    GroupMember(const GroupMember&) = delete;
    GroupMember& operator=(const GroupMember&) = delete;

    bool leads() const { return state_ == State::leading; }
    bool busy() const { return static_cast<bool>(done_); }  // a commit is under way
    Status status(Instant now) const;

    // Stores what the manager has taken. It must lead and not be busy, and the manager takes nothing until `done`.
    void commit(std::function<void(const Result<Events>&)> done);

private:
    enum class State : std::uint8_t { joining, following, claiming, leading };
    struct Read {
        std::vector<codec::LogEntry> entries;
        std::optional<bus::LogEnds> ends;  // if there was no entry
        std::optional<Error> failed;
    };

    void run(runner::Worker&, std::function<std::function<void()>()>);
    void later(Duration, std::function<void()>);
    void join();
    Result<bus::LogEnds> open();
    void joined(const Result<bus::LogEnds>&);
    std::string misfit(const bus::LogEnds&);
    void rejoin(std::string why);
    void read();
    Read read_from(std::uint64_t number);
    void have_read(Read);
    void read_later();
    std::string mismatch(const bus::LogEnds&);
    bool may_lead() const;
    bool apply(const std::vector<codec::LogEntry>&);
    void heard(std::string_view message);
    void look_at_lease();
    void lease_seen(const Result<bus::Cell>&);
    void bid();
    void claim();
    void begin_append(const codec::LogEntry&);
    void append_next();
    void appended(const Result<bus::Append>&);
    void all_appended();
    void tell_others();
    void step_down(const Error&);
    void note(std::string trouble);

    runner::Loop& loop_;
    manager::Manager& manager_;
    GroupOptions options_;
    std::string me_;
    Calls calls_;
    group::Lease lease_;
    std::string leader_;  // its URL
    State state_{};
    manager::LogPosition at_;
    bool begins_with_file_{};
    std::optional<Instant> at_end_;  // when it had read the whole log last, since it joined
    std::uint64_t last_known_{};     // entry of the log
    bool reading_{};
    bool read_again_{};
    std::optional<runner::Loop::TimerId> next_read_;
    std::uint64_t joins_{};     // a result of the worker that belongs to an earlier one is ignored
    std::uint64_t attempts_{};  // to append; the same
    std::optional<Instant> mismatch_since_;
    bool unfit_{};  // its own store failed: another manager is to lead
    std::string trouble_;
    // The commit or claim under way.
    manager::Batch batch_;
    std::deque<std::string> outbox_;
    std::uint64_t appended_{};  // of its entries
    std::function<void(const Result<Events>&)> done_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    Workers workers_;  // the last member: its jobs use all the others
};

}  // namespace petrel::api

// The manager's memory in one SQLite file. A batch is durable when append() returns, so a manager that is killed at any
// moment shows the same view after its next start. Another process cannot open the file meanwhile. Not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "fabric/message.hpp"
#include "manager/batch.hpp"

namespace SQLite {
class Database;
}  // namespace SQLite

namespace petrel::manager {

// How much history is kept.
struct Retention {
    std::size_t most_events{1'000'000};
    std::chrono::hours oldest_event{24 * 30};
    std::size_t most_samples{2'000'000};
    std::chrono::hours oldest_sample{24};
};

// The messages of a source in one epoch.
struct SourceRecord {
    fabric::Source source;
    std::uint64_t epoch{};
    std::uint64_t highest{};
    std::uint64_t forgotten{};  // messages up to this number are not stored any more
    WallTime latest;            // of the source's own times
};

// Which events to read: a page of at most `limit` behind the cursor `after`, in the order of cursors.
struct EventQuery {
    std::string device;  // empty: all
    std::int64_t after{};
    std::size_t limit{100};
};

// Which samples of queues to read: a page as of EventQuery.
struct SampleQuery {
    std::string device;  // empty: all
    std::string port;    // empty: all
    std::int64_t after{};
    std::size_t limit{1000};
};

class Store {
public:
    static Result<std::unique_ptr<Store>> open(const std::filesystem::path&);
    // A store without a file, with the content that image() returned; of nothing: a new one.
    static Result<std::unique_ptr<Store>> open_image(std::span<const std::byte>);
    Result<std::vector<std::byte>> image() const;
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // Everything or nothing. A message whose source and position are known is ignored. Returns the new ones.
    Result<std::vector<StoredEvent>> append(const Batch&);

    // For managers that share a log. Stores its next entries, up to this position.
    Result<std::vector<StoredEvent>> append(std::span<const Batch>, const LogPosition&);
    // The batch without the messages that are known. Each other one has its cursor, so all managers give it the same.
    Result<Batch> only_new(Batch) const;
    Result<std::optional<LogPosition>> position() const;  // none: the store follows no log
    Result<void> leave_log();
    Result<bool> empty() const;

    // Forgets a part of what is too old or too much. False: there is more. `keep`: messages that stay, because an error
    // that they opened is open; by source, in their order.
    using Standing = std::map<fabric::Source, std::vector<fabric::Position>>;
    Result<bool> prune(const Retention&, WallTime now, const Standing& keep);

    // Begins a copy of the file as it will be when the copy ends. False from step(): it is not complete yet.
    class Copy;
    Result<std::unique_ptr<Copy>> copy(const std::filesystem::path&);

    // The messages that change a port, in the order of each source.
    Result<void> each_message(const std::function<void(const fabric::Message&)>&) const;
    Result<void> each_position(const std::function<void(const fabric::Source&, fabric::Position)>&) const;
    Result<std::vector<SourceRecord>> sources() const;
    Result<HeardTimes> heard() const;
    Result<std::vector<AgentRecord>> agents() const;
    Result<std::vector<DeviceRecord>> devices() const;
    Result<std::vector<StoredEvent>> events(const EventQuery&) const;
    Result<std::vector<StoredSample>> samples(const SampleQuery&) const;
    Result<std::int64_t> last_cursor() const;
    fabric::Position last(const std::string& device) const;          // of its agent's events; number 0: none
    Result<std::vector<AuditEntry>> audit(std::size_t limit) const;  // the latest first
    Result<std::vector<RolloutRow>> rollouts() const;
    Result<std::vector<CommandRow>> commands() const;
    Result<std::optional<Invitation>> invitation(const std::string& digest) const;
    Result<std::vector<Revocation>> revocations() const;

private:
    Store(std::unique_ptr<SQLite::Database>, std::string path);
    static Result<std::unique_ptr<Store>> open(const std::string& name,
                                               const std::function<std::unique_ptr<SQLite::Database>()>&);

    using SourceEpoch = std::pair<std::int64_t, std::uint64_t>;  // number of the source in the file, and its epoch
    struct Numbers {
        std::uint64_t highest{};
        std::uint64_t forgotten{};
        std::int64_t latest_us{};
    };

    static void prepare_access(SQLite::Database&);
    Result<std::vector<StoredEvent>> append(std::span<const Batch>, const LogPosition*);
    static void prepare_log(SQLite::Database&);
    void set_position(const LogPosition&);
    void load_sources();
    std::int64_t source_number(const fabric::Source&);
    std::vector<StoredEvent> add_messages(const Batch&);
    void add_rest(const Batch&);
    void prepare_commands();
    void add_commands(const Batch&);
    void add_access(const Batch&);
    bool prune_events(const Retention&, WallTime now, const Standing& keep);
    bool prune_samples(const Retention&, WallTime now);

    std::unique_ptr<SQLite::Database> database_;
    std::string path_;
    std::map<fabric::Source, std::int64_t> source_numbers_;
    std::map<SourceEpoch, Numbers> numbers_;  // of agents
    std::int64_t pruned_to_{};                // the pass over old events has come this far
};

// A copy under way. A step takes a few milliseconds; the store may be used between two steps, and outlives the copy.
class Store::Copy {
public:
    ~Copy();
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

    Result<bool> step();

private:
    friend class Store;
    struct Sqlite;
    Copy(std::unique_ptr<Sqlite>, std::filesystem::path);

    std::unique_ptr<Sqlite> sqlite_;
    std::filesystem::path path_;
};

}  // namespace petrel::manager

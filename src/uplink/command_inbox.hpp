// Decides which commands of its manager an agent executes, and when: each exactly once, although the manager sends a
// command again until it has the result, messages are lost, doubled and late, and the agent may be killed at any
// moment. Without I/O; the caller stores the record.
//
//   take()        a command that is new waits; one that was executed before gets its stored result again
//   begin()       the oldest one becomes the one under way. The caller stores the record, then executes the command
//   finish()      its result waits for the manager. The caller stores the record, then sends it
//   delivered()   the manager has the results that were sent
//
// A command under way at the death of the agent is `begun_before` at the next start. The caller finds out from its
// events whether it was executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace petrel::uplink {

struct ManagerCommand {
    std::uint64_t id{};   // increases; a manager that was replaced has higher ones, as they are times
    std::string by;       // who ordered it
    std::string request;  // a line of docs/agent-commands.md
    Duration within{};    // how much time was left when the manager sent it
    bool operator==(const ManagerCommand&) const = default;
};

struct CommandResult {
    std::uint64_t id{};
    std::string answer;  // a line of docs/agent-commands.md
    bool operator==(const CommandResult&) const = default;
};

// What must survive a death of the agent.
struct CommandRecord {
    std::uint64_t finished{};           // no command up to this one is executed again
    std::uint64_t under_way{};          // 0 = none
    std::deque<CommandResult> results;  // the last ones, in the order of ids
    bool operator==(const CommandRecord&) const = default;
};

class CommandInbox {
public:
    static constexpr std::size_t kResultsKept = 64;
    static constexpr std::size_t kMostWaiting = 64;

    explicit CommandInbox(CommandRecord before = {});

    // The commands in an answer to a request that was sent at this time and that the manager held for so long. A
    // command that is late on its way is late here, too: its time counts from the request.
    void take(const std::vector<ManagerCommand>&, Instant sent, Duration held);

    struct Due {
        ManagerCommand command;
        bool expired{};       // its time is over: it must not be executed
        bool begun_before{};  // an earlier process began it
    };
    // None: one is under way, or none waits.
    std::optional<Due> begin(Instant now);
    // Of the command under way. `keep`: its answer is needed if the manager sends the command again. If not, such a
    // command gets an error.
    void finish(std::string answer, bool keep = true);

    // The results that the manager needs. `delivered`: it has those that results() returned then.
    std::vector<CommandResult> results() const;
    void delivered(const std::vector<CommandResult>&);

    const CommandRecord& record() const { return record_; }

private:
    struct Waiting {
        ManagerCommand command;
        Instant deadline;
    };

    void answer_again(std::uint64_t id);

    CommandRecord record_;
    std::uint64_t begun_before_{};
    std::map<std::uint64_t, Waiting> waiting_;  // by id
    std::map<std::uint64_t, std::string> unsent_;
    bool busy_{};
};

}  // namespace petrel::uplink

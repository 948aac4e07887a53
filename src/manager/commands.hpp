// The commands of operators for agents: who gets them, what came of them, and until when an agent may begin one. Works
// on rows; the manager stores them before anything depends on them (stored()). Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "fleet/command.hpp"
#include "fleet/rollout.hpp"
#include "manager/batch.hpp"

namespace petrel::manager {

class Commands {
public:
    static constexpr std::size_t kRolloutsKept = 1000;
    static constexpr std::size_t kReadsKept = 2;  // with their answers
    static constexpr std::size_t kMostAtOnce = 64;
    // A result that is on its way at the deadline may still arrive.
    static constexpr Duration kGrace = std::chrono::seconds{5};

    // What is wrong now with the devices of an agent, a text for each; the same trouble always has the same text. A
    // trouble that is new since the beginning of a roll-out is its alarm.
    using Troubles = std::function<std::set<std::string>(const std::string& agent)>;

    // What an earlier process stored.
    void load(const std::vector<RolloutRow>&, const std::vector<CommandRow>&, const Troubles&);

    // For these agents. Returns the number of the roll-out.
    std::uint64_t order(const fleet::Order&, std::vector<std::string> agents, const std::string& by, Now,
                        const Troubles&);
    // An agent's result of a command; of an unknown one, nothing happens.
    void result(const std::string& agent, const fleet::CommandResult&, Now);
    // Expires commands, finds alarms and begins waves. Call it after each change, and once a second.
    void advance(Now, const Troubles&);

    // What must be stored; stored(): it is. What could not be stored stays to be stored, unless drop() forgets the
    // roll-out, which no agent has then.
    bool has_changes() const { return !changed_rollouts_.empty() || !changed_commands_.empty() || !audit_.empty(); }
    void add_changes(Batch&) const;
    void stored();
    void drop(std::uint64_t rollout);

    // What an agent may execute now, the oldest first; only what is stored.
    std::vector<fleet::Delivery> waiting_for(const std::string& agent, WallTime now) const;

    // Those that are stored, the latest first, without answers.
    std::vector<fleet::ShownRollout> list(std::size_t most) const;
    Result<fleet::ShownRollout> show(std::uint64_t id) const;

private:
    struct Command {
        std::uint64_t rollout{};
        std::string agent;
        WallTime deadline;
        fleet::CommandState state{};
        std::string answer;
        WallTime ended;
    };
    struct Live {
        RolloutRow row;
        fleet::Rollout rollout;
        bool stored{};                                        // once
        std::map<std::string, std::uint64_t> commands;        // by agent
        std::map<std::string, std::set<std::string>> before;  // troubles at the beginning, by agent
    };

    std::uint64_t next_id(WallTime now);
    Live& add(RolloutRow, fleet::Rollout, const Troubles&);
    fleet::ShownRollout shown(std::uint64_t id, const Live&, bool answers) const;
    void find_alarms(Live&, const Troubles&) const;
    void send(std::uint64_t id, Live&, const std::vector<std::string>& agents, WallTime now);
    void expire(WallTime now);
    void end(Command&, std::uint64_t id, fleet::CommandState, std::string answer, WallTime now);
    void note(std::uint64_t rollout, AuditEntry);
    void forget(std::uint64_t rollout);
    void forget_old();
    bool is_stored(std::uint64_t command) const { return !changed_commands_.contains(command); }

    std::map<std::uint64_t, Live> rollouts_;
    std::map<std::uint64_t, Command> commands_;
    std::map<std::string, std::vector<std::uint64_t>> waiting_;  // by agent: commands without a result
    std::set<std::uint64_t> changed_rollouts_;                   // never those that only read
    std::set<std::uint64_t> changed_commands_;
    std::vector<std::pair<std::uint64_t, AuditEntry>> audit_;  // with its roll-out
    std::uint64_t last_id_{};
};

}  // namespace petrel::manager

// The fabric manager: takes the reports of agents, stores them and then applies them to its view of the fabric. The
// caller carries the reports, asks for the time and shows the view. Not thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "codec/manager/report_reader.hpp"
#include "fabric/fabric_view.hpp"
#include "fleet/selection.hpp"
#include "manager/agent_epochs.hpp"
#include "manager/batch.hpp"
#include "manager/commands.hpp"
#include "manager/store.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::manager {

class Manager {
public:
    // Begins with the view that the store remembers. Every device is unknown until it reports, and again when it has
    // not reported for so long.
    static Result<Manager> start(std::unique_ptr<Store>, const fabric::Cables& = {},
                                 Duration silent_after = fabric::FabricView::kSilentAfter);

    // They change the view at the next commit(). `from`: who sent the report, for the audit.
    void take(const codec::Report&, const std::string& from, Now);
    void take_message(TakenMessage, Now);
    void audit(AuditEntry entry);
    void take_access(Invitation invitation) { taken_.invitations.push_back(std::move(invitation)); }
    void take_access(Revocation revocation) { taken_.revocations.push_back(std::move(revocation)); }

    // A line of a switch's log. False: it is not about the error of a port, and only shows that a switch reports whose
    // log has such lines.
    bool take_log(const wire::LogLine&, Now);

    // Commands for agents. The next commit() stores what changes.
    Commands& commands() { return commands_; }
    const Commands& commands() const { return commands_; }
    // What is wrong now with the devices of each agent. Collected when it is first used.
    Commands::Troubles troubles(Instant now) const;
    // `places`: what a file states about agents.
    fleet::KnownAgents known_agents(std::vector<fleet::AgentPlace> places) const;

    // Stores what was taken, then applies it to the view. Returns the new events. After a failure nothing of it is
    // stored; agents report it again.
    Result<std::vector<StoredEvent>> commit();

    // For managers that share a log; they use these instead of commit(). prepare(): what was taken, as an entry of the
    // log that comes next. follow(): stores and applies the next entries, also those that it prepared itself.
    // `arrives`: when they have arrived, unless they are old. After lead(), this manager may take and prepare;
    // before, it may only follow.
    Result<void> lead(Instant now);
    Result<Batch> prepare();
    Result<std::vector<StoredEvent>> follow(std::span<const Batch>, const LogPosition&, std::optional<Instant> arrives);

    Result<std::unique_ptr<Store::Copy>> copy(const std::filesystem::path& path) { return store_->copy(path); }

    // Forgets a part of what is too old or too much. False: there is more; call it again soon.
    Result<bool> prune(const Retention&, WallTime now);

    // By device and port, the link-down registers that this agent may clear: FabricView::to_clear().
    std::map<std::string, std::map<std::string, std::uint64_t>> to_clear(const std::string& agent, WallTime now) const;

    const fabric::FabricView& view() const { return view_; }
    const Store& store() const { return *store_; }
    Store& store() { return *store_; }
    const std::map<std::string, AgentRecord>& agents() const { return agents_; }
    std::string agent_of(const std::string& device) const;  // empty: none

private:
    Manager(std::unique_ptr<Store> store, const fabric::Cables& cables, Duration silent_after)
        : store_(std::move(store)), view_(cables, silent_after)
    {}

    Result<void> remember();
    Batch take_batch();
    void take_recounts(const codec::Report&, WallTime now);
    void take_agent(const codec::Report&, const std::string& from, Now);
    void close_forgotten(const fabric::OpenStorms&, WallTime now);
    void heard(const std::string& device, Now);
    void log_heard(const std::string& device, Now);
    void apply(const Batch&);

    std::unique_ptr<Store> store_;
    fabric::FabricView view_;
    AgentEpochs epochs_;
    std::map<std::string, AgentRecord> agents_;
    std::map<std::string, std::set<std::string>> devices_of_;  // by agent
    std::map<std::string, std::string> agent_of_;              // by device
    std::map<std::string, Now> heard_;                         // since the last commit
    std::map<std::string, Instant> logs_;                      // by device, when its log was last heard
    Commands commands_;
    Batch taken_;
    std::optional<Store::Standing> standing_;  // when the present pass of prune() began
};

}  // namespace petrel::manager

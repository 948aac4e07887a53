// Takes the reports of agents for one process of the manager and answers them. It decides which reports may be stored;
// the caller carries reports and answers, and commits.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "base/time.hpp"
#include "codec/manager/report_reader.hpp"
#include "manager/manager.hpp"

namespace petrel::manager {

class ReportDesk {
public:
    // `boot` identifies the process in its answers. An agent that is silent for so long may have given its devices to
    // another. The manager outlives the desk.
    ReportDesk(Manager& manager, std::string boot, Duration silent_after = fabric::FabricView::kSilentAfter)
        : manager_(manager), boot_(std::move(boot)), silent_after_(silent_after)
    {}

    // What an answer needs to know of a report that was taken.
    struct Taken {
        std::string agent;
        std::string manager;            // names this process to the agent's
        std::set<std::string> devices;  // that the report names
    };

    // The next commit stores the report; without its events if the agent sent them to another process, or was started
    // again since. Fails if another agent reports one of its devices.
    Result<Taken> take(const codec::Report&, const std::string& from, Now);

    // After the commit: what is stored, and the link-down registers that may be cleared.
    std::string answer(const Taken&, WallTime now) const;

    const std::string& boot() const { return boot_; }

private:
    // The process of an agent that has asked last what is stored. This process has another name for each, so a report
    // of an earlier one that is late is known: what its agent decided since shall stay true. A process whose question
    // was overtaken by a late one of an earlier process asks again, because the name has changed.
    struct Session {
        std::string boot;
        std::uint64_t number{};
    };
    std::string name_for(const codec::Report&);

    std::string other_agent(const std::string& agent, const std::set<std::string>& devices, Instant now) const;

    Manager& manager_;
    std::string boot_;
    Duration silent_after_;
    std::map<std::string, Instant> agents_heard_;
    std::map<std::string, Session> sessions_;  // by agent
};

}  // namespace petrel::manager

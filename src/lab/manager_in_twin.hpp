// One fabric manager of a scenario: a process that may die, and its store, which outlives it. The process is a
// manager::Manager with its report desk, the same as in the service; its store has no file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/device_state.hpp"
#include "manager/manager.hpp"
#include "manager/report_desk.hpp"
#include "runner/manager_channel.hpp"
#include "scenario/manager.hpp"

namespace petrel::lab {

class ManagerInTwin {
public:
    using Image = std::vector<std::byte>;
    using Receipt = std::size_t;  // number of a report among those that wait for the commit

    ManagerInTwin(std::string name, fabric::Cables cables, Duration silent_after)
        : name_(std::move(name)), cables_(std::move(cables)), silent_after_(silent_after)
    {}

    // Ends the process that runs.
    void start(const Image&);
    void start() { start(image()); }
    void kill(const scenario::KillManager&);
    bool runs() const { return process_ != nullptr; }

    // What the store has.
    Image image() const;

    // A report arrives; answers() has its answer. None: it is answered now.
    void take(const std::string& report, Now);
    // Stores what was taken since the last call, and answers each report in its order.
    std::vector<runner::ManagerAnswer> answers(Now);

    // Of the process that runs.
    const manager::Manager& manager() const { return process_->manager; }
    std::vector<manager::StoredEvent> history(const std::string& device) const;

private:
    struct Process {
        Process(manager::Manager made, std::string boot, Duration silent_after)
            : manager(std::move(made)), desk(manager, std::move(boot), silent_after)
        {}
        manager::Manager manager;
        manager::ReportDesk desk;
    };
    // A report that was taken, or the answer to one that was not.
    struct Waiting {
        std::optional<manager::ReportDesk::Taken> taken;
        runner::ManagerAnswer answer;
    };

    std::vector<runner::ManagerAnswer> died();

    std::string name_;
    fabric::Cables cables_;
    Duration silent_after_;
    unsigned starts_{};
    Image stored_;  // while no process runs
    std::unique_ptr<Process> process_;
    scenario::KillManager::When dies_{};  // unless `at_once`
    std::vector<Waiting> waiting_;
};

}  // namespace petrel::lab

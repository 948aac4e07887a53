// Executes the commands of the agent's manager. The agent connects outwards only: it sends a request for commands, and
// the manager holds it until there are some. The pure CommandInbox decides what is executed; requests and the file of
// the record are jobs of two workers, so that the loop waits for neither the network nor the disk.
//
// Contract: all calls are made in the loop's thread, and all callbacks run there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "control/request.hpp"
#include "daemon/manager_channel.hpp"
#include "http_client/client.hpp"
#include "runner/log_line.hpp"
#include "runner/loop.hpp"
#include "runner/worker.hpp"
#include "runtime/file_lock.hpp"
#include "uplink/command_inbox.hpp"

namespace petrel::daemon {

class CommandRunner {
public:
    struct Calls {
        // Executes a request as the control socket does. `done` gets the line that answers it, now or later.
        using Done = std::function<void(std::string line)>;
        std::function<void(const control::ControlRequest&, const std::string& by, Done)> execute;
        // Whether an event of the agent contains this text.
        std::function<bool(std::string_view)> has_event;
        std::function<void(const runner::LogLine&)> log;
        std::function<void(std::string_view point)> reached;
    };
    struct Workers {
        std::unique_ptr<runner::Worker> network;
        std::unique_ptr<runner::Worker> disk;
    };
    static constexpr std::size_t kMostJobs = 2;  // of each worker

    // Fails if another process uses the file of the record.
    static Result<std::unique_ptr<CommandRunner>> make(runner::Loop&, Workers, const ManagerClients&,
                                                       const config::AgentConfig&, Calls);
    ~CommandRunner();
    CommandRunner(const CommandRunner&) = delete;
    CommandRunner& operator=(const CommandRunner&) = delete;

    // Begins to ask for commands, once. A device that is not watched yet would refuse the orders that wait.
    void start();
    void stop();  // begins no further command

private:
    struct Setup {
        config::AgentConfig config;
        std::unique_ptr<http_client::Client> client;
        runtime::HeldFile file;
        Calls calls;
    };
    struct Answer {
        int status{};  // 0 = none
        std::string body;
        std::string why;  // there is no answer
    };

    CommandRunner(runner::Loop&, Workers, Setup, uplink::CommandRecord before);

    void poll();
    Answer exchange(const std::string& body) const;
    void answered(const Answer&, const std::vector<uplink::CommandResult>& sent, Instant sent_at);
    void poll_later(Duration);
    void execute_next();
    void execute(const uplink::CommandInbox::Due&);
    void finish(std::string answer, bool keep);
    void save(const std::function<void(const Result<void>&)>& then);
    void log(runner::LogLevel, std::string event, std::string message) const;

    runner::Loop& loop_;
    Setup setup_;
    uplink::CommandInbox inbox_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    std::optional<runner::Loop::TimerId> next_poll_;
    std::optional<runner::Loop::TimerId> deadline_;
    std::optional<runner::Loop::TimerId> settled_;
    unsigned failures_{};  // of requests, since the last answer
    bool started_{};
    bool stopping_{};
    Workers workers_;  // the last member: its jobs use all the others
};

}  // namespace petrel::daemon

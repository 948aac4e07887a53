// `petrel agent` in the test's own thread and in simulated time: the real service with its runners, its files and its
// configuration, a simulated loop and simulated workers. Its tests read as those of a real process (AgentProcess): they
// start it, read its log, query, stop and kill it. Control requests are executed by the code that the control socket
// uses, and shown by the code of the petrel commands. Nothing waits: a test that waits lets simulated time pass.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "control/request.hpp"
#include "daemon/driver.hpp"
#include "support/shared_switch.hpp"
#include "support/simulated_time.hpp"
#include "support/subprocess.hpp"

namespace petrel::test {

class SimulatedAgent {
public:
    struct Options {
        std::filesystem::path folder;          // state and configuration
        std::string config{};                  // devices and policies, in TOML
        std::vector<std::string> arguments{};  // more flags
        daemon::Driver* driver{};              // replaces petrel's driver of the same kind; null = none
        // Dies the N-th time it reaches a point ("applied:2"; the service defines the points). Empty: it does not.
        std::string die_at{};
    };

    // Starts the agent. Simulated time continues from one agent to the next. The agent has the drivers of petrel and
    // "shared:FILE".
    SimulatedAgent(SimulatedTime&, Options);
    ~SimulatedAgent();
    SimulatedAgent(const SimulatedAgent&) = delete;
    SimulatedAgent& operator=(const SimulatedAgent&) = delete;

    std::filesystem::path file() const { return options_.folder / "agent.toml"; }
    std::filesystem::path state() const { return options_.folder / "state"; }

    void write_config(const std::string& config) const;  // the file that the next reload reads
    void start();

    // Lets time pass until the log has a line that contains all these words, after the line that the last call
    // returned. Returns the line. Empty: the agent ended before.
    std::string wait_for(const std::vector<std::string>& words);
    std::string wait_for(const std::string& word) { return wait_for(std::vector{word}); }
    const std::vector<std::string>& log() const { return lines_; }
    std::string log_text() const;

    // The output of a petrel command with this agent, or of a SONiC tool with its tables or with those of --redis.
    Ended control(std::vector<std::string> arguments);
    Ended tool(const std::string& name, std::vector<std::string> arguments);
    // The answer to a request as the control socket would send it.
    Result<std::string> answer(const control::ControlRequest&);
    std::string metrics() const;  // what Prometheus would get

    void signal(int number);
    bool ended() const { return life_ == nullptr; }
    int wait();  // returns the exit code; -1 if the agent was killed
    int stop();
    void kill();

private:
    class Life;

    void guarded(const std::function<void()>&);
    Result<std::vector<std::string>> lines(const control::ControlRequest&);
    void add_line(std::string line) { lines_.push_back(std::move(line)); }
    void end(int exit_code);
    void reached(std::string_view point);

    SimulatedTime& time_;
    Options options_;
    SharedSwitchDriver shared_{[] { throw Hang{}; }};
    std::vector<std::string> lines_;
    std::size_t read_{};  // lines that wait_for() has read
    std::string die_point_;
    int points_left_{};
    int exit_code_{};
    std::unique_ptr<Life> life_;  // null: it has ended
};

}  // namespace petrel::test

// A real agent in its own process, with all its files in one folder. Tests start it, read its log, query, stop and kill
// it. Nothing here has a timeout: it reads the log until a line comes, and the end of the log is a failure. The hang
// guard of ctest is the only time limit.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/subprocess.hpp"

namespace petrel::test {

class AgentProcess {
public:
    struct Options {
        std::filesystem::path folder;                                    // state, socket, configuration
        std::string config{};                                            // devices and policies, in TOML
        std::string program{PETREL_BIN_DIR "/petrel"};                   // a program with the command `agent`
        std::vector<std::string> arguments{};                            // more flags
        std::vector<std::pair<std::string, std::string>> environment{};  // added to ours
    };

    explicit AgentProcess(Options options) : options_(std::move(options))
    {
        write_config(options_.config);
        start();
    }
    ~AgentProcess()
    {
        if (pid_ > 0) {
            kill();
        }
        ::close(log_);
    }
    AgentProcess(const AgentProcess&) = delete;
    AgentProcess& operator=(const AgentProcess&) = delete;

    std::filesystem::path file() const { return options_.folder / "agent.toml"; }
    std::filesystem::path socket() const { return options_.folder / "control.sock"; }
    std::filesystem::path state() const { return options_.folder / "state"; }
    pid_t pid() const { return pid_; }

    // The file that the next reload reads.
    void write_config(const std::string& config) const
    {
        std::ofstream{file()} << config << "[agent]\nstate_dir = \"" << state().string() << "\"\n[control]\nsocket = \""
                              << socket().string()
                              << "\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n[log]\nformat = \"text\"\n";
    }

    void start()
    {
        std::array<int, 2> ends{};
        ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(ends[1], STDERR_FILENO);
            for (const auto& [name, value] : options_.environment) {
                ::setenv(name.c_str(), value.c_str(), 1);
            }
            std::vector<std::string> words{options_.program, "agent", "--config", file().string()};
            words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
            std::vector<char*> argv;
            for (auto& word : words) {
                argv.push_back(word.data());
            }
            argv.push_back(nullptr);
            ::execv(argv.front(), argv.data());
            ::_exit(127);
        }
        ::close(ends[1]);
        if (log_ >= 0) {
            ::close(log_);
        }
        log_ = ends[0];
        unread_.clear();
        first_line_ = lines_.size();
        port_ = 0;
    }

    // Reads the log up to a line that contains all these words, and returns that line. Empty: the process ended before.
    std::string wait_for(const std::vector<std::string>& words)
    {
        while (auto line = next_line()) {
            bool all = true;
            for (const auto& word : words) {
                all = all && line->find(word) != std::string::npos;
            }
            if (all) {
                return *line;
            }
        }
        return {};
    }
    std::string wait_for(const std::string& word) { return wait_for(std::vector{word}); }

    // The n-th line of this process that contains the word, also if it was read before: for lines whose order is open.
    std::string nth_line(const std::string& word, std::size_t n = 1)
    {
        std::size_t found = 0;
        for (auto at = first_line_; at != lines_.size() || next_line(); ++at) {
            if (lines_[at].find(word) != std::string::npos && ++found == n) {
                return lines_[at];
            }
        }
        return {};
    }

    // All lines read so far.
    const std::vector<std::string>& log() const { return lines_; }
    std::string log_text() const
    {
        std::string all;
        for (const auto& line : lines_) {
            all += line + '\n';
        }
        return all;
    }

    // Runs a petrel command with this agent.
    Ended control(std::vector<std::string> arguments) const
    {
        Invocation call;
        call.program = PETREL_BIN_DIR "/petrel";
        call.arguments = std::move(arguments);
        call.arguments.insert(call.arguments.end(), {"--socket", socket().string()});
        return run(call);
    }

    // What Prometheus would get. If the port is unknown, reads the log until the agent reports it.
    std::string metrics()
    {
        if (port_ == 0) {
            const auto line = nth_line("agent_started");
            const auto at = line.find("metrics: port ");
            port_ = at == std::string::npos ? 0 : std::stoi(line.substr(at + 14));
        }
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port_));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        std::string text;
        if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
            const std::string request = "GET /metrics HTTP/1.0\r\n\r\n";
            [[maybe_unused]] const auto sent = ::write(fd, request.data(), request.size());
            std::array<char, 4096> buffer{};
            for (ssize_t got = 0; (got = ::read(fd, buffer.data(), buffer.size())) > 0;) {
                text.append(buffer.data(), static_cast<std::size_t>(got));
            }
        }
        ::close(fd);
        return text;
    }

    void signal(int number) const { ::kill(pid_, number); }

    // Whether the process has ended; leaves its status for wait().
    bool ended() const
    {
        siginfo_t info{};
        ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
        return info.si_pid == pid_;
    }

    // The exit code; -1 if a signal ended the process.
    int wait()
    {
        while (next_line()) {
        }
        int status{};
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    int stop()
    {
        signal(SIGTERM);
        return wait();
    }
    void kill()
    {
        signal(SIGKILL);
        wait();
    }

private:
    std::optional<std::string> next_line()
    {
        for (;;) {
            if (const auto end = unread_.find('\n'); end != std::string::npos) {
                lines_.push_back(unread_.substr(0, end));
                unread_.erase(0, end + 1);
                return lines_.back();
            }
            std::array<char, 4096> buffer{};
            const auto got = ::read(log_, buffer.data(), buffer.size());
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got <= 0) {
                return std::nullopt;
            }
            unread_.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }

    Options options_;
    pid_t pid_{-1};
    int log_{-1};
    int port_{};
    std::string unread_;
    std::vector<std::string> lines_;
    std::size_t first_line_{};
};

}  // namespace petrel::test

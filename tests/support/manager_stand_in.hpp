// A real HTTP server that stands in for the manager (manager_stand_in.py), in its own process: it can be killed and
// started again with its files and its port. Nothing here has a timeout: it waits for lines of the server.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/find_program.hpp"
#include "support/subprocess.hpp"

namespace petrel::test {

class ManagerStandIn {
public:
    explicit ManagerStandIn(std::filesystem::path folder, std::vector<std::string> flags = {})
        : folder_(std::move(folder)), flags_(std::move(flags))
    {
        std::filesystem::create_directories(folder_);
        start();
    }
    ~ManagerStandIn() { kill(); }
    ManagerStandIn(const ManagerStandIn&) = delete;
    ManagerStandIn& operator=(const ManagerStandIn&) = delete;

    // Returns when it accepts connections. The port stays the same.
    void start()
    {
        auto in = detail::make_pipe();
        auto out = detail::make_pipe();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // an aborted test leaves no server behind
            ::dup2(in.read_end, STDIN_FILENO);
            ::dup2(out.write_end, STDOUT_FILENO);
            std::vector<std::string> words{find_program("python3"), PETREL_TEST_DATA "/support/manager_stand_in.py",
                                           folder_.string(), "--port", std::to_string(port_)};
            words.insert(words.end(), flags_.begin(), flags_.end());
            std::vector<char*> argv;
            for (auto& word : words) {
                argv.push_back(word.data());
            }
            argv.push_back(nullptr);
            ::execv(argv.front(), argv.data());
            ::_exit(127);
        }
        detail::close_end(in.read_end);
        detail::close_end(out.write_end);
        in_ = in.write_end;
        out_ = out.read_end;
        text_.clear();
        port_ = std::stoi(line_with("port"));
    }

    void kill()
    {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
            detail::close_end(in_);
            detail::close_end(out_);
            pid_ = -1;
        }
    }

    int port() const { return port_; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

    // A line of manager_stand_in.py's input.
    void order(const std::string& what)
    {
        const auto line = what + '\n';
        if (::write(in_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
            throw std::runtime_error("the server does not read");
        }
        line_with("ok");
    }

    // Waits until it has stored a report, and has at least this many events.
    void wait_for_events(std::size_t least)
    {
        while (std::stoul(line_with("stored")) < least) {
        }
    }

    // Waits until a report has arrived and waits for the order "go".
    void wait_for_request() { line_with("held"); }

    std::vector<std::string> events() const { return lines_of("events.jsonl"); }
    std::vector<std::string> requests() const { return lines_of("requests.jsonl"); }
    std::string devices() const
    {
        std::string all;
        for (const auto& line : lines_of("devices.json")) {
            all += line;
        }
        return all;
    }

private:
    // The rest of the next line that begins with this word.
    std::string line_with(const std::string& word)
    {
        for (;;) {
            const auto end = text_.find('\n');
            if (end == std::string::npos) {
                if (!detail::read_some(out_, text_)) {
                    throw std::runtime_error("the server ended");
                }
                continue;
            }
            const auto line = text_.substr(0, end);
            text_.erase(0, end + 1);
            if (line.starts_with(word)) {
                return line.substr(std::min(line.size(), word.size() + 1));
            }
        }
    }

    std::vector<std::string> lines_of(const char* name) const
    {
        std::vector<std::string> lines;
        std::ifstream file{folder_ / name};
        for (std::string line; std::getline(file, line);) {
            lines.push_back(line);
        }
        return lines;
    }

    std::filesystem::path folder_;
    std::vector<std::string> flags_;
    pid_t pid_{-1};
    int port_{};
    int in_{-1};
    int out_{-1};
    std::string text_;
};

}  // namespace petrel::test

// The real program `petrel manager` in its own process, with its store in a folder. Tests kill it and start it again at
// the same port. Nothing here has a timeout: it waits for what the manager writes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "http_client/client.hpp"
#include "manager/store.hpp"
#include "support/subprocess.hpp"

namespace petrel::test {

class ManagerProcess {
public:
    // `flags`: more of them, as for `petrel manager`.
    explicit ManagerProcess(std::filesystem::path folder, std::vector<std::string> flags = {},
                            const std::string& die_at = {})
        : folder_(std::move(folder)), flags_(std::move(flags))
    {
        std::filesystem::create_directories(folder_);
        start(die_at);
    }
    ~ManagerProcess() { kill(); }
    ManagerProcess(const ManagerProcess&) = delete;
    ManagerProcess& operator=(const ManagerProcess&) = delete;

    // `die_at`: the process kills itself there ("batch_stored:2"; the service defines the points).
    void start(const std::string& die_at = {})
    {
        auto err = detail::make_pipe();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // an aborted test leaves no manager behind
            ::dup2(err.write_end, STDERR_FILENO);
            ::setenv("TEST_AGENT_DIE_AT", die_at.c_str(), 1);
            std::vector<std::string> words{PETREL_BIN_DIR "/petrel-test-agent",  "manager", "--listen",
                                           "127.0.0.1:" + std::to_string(port_), "--store", store_file().string()};
            words.insert(words.end(), flags_.begin(), flags_.end());
            std::vector<char*> argv;
            for (auto& word : words) {
                argv.push_back(word.data());
            }
            argv.push_back(nullptr);
            ::execv(argv.front(), argv.data());
            ::_exit(127);
        }
        detail::close_end(err.write_end);
        log_ = err.read_end;
        constexpr std::string_view kListens = "listens at port ";
        const auto line = line_with(kListens);
        ASSERT_NE(line, "") << "the manager does not start";
        port_ = std::stoi(line.substr(line.find(kListens) + kListens.size()));
    }

    void kill()
    {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            wait();
        }
    }

    bool has_died() const
    {
        siginfo_t info{};
        ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
        return info.si_pid == pid_;
    }

    // Until it has died by itself.
    void wait()
    {
        ::waitpid(pid_, nullptr, 0);
        detail::close_end(log_);
        pid_ = -1;
    }

    // The body of its answer; empty: none, or another status than 200.
    std::string get(const std::string& path) const
    {
        const auto client = http_client::make_client({false, "127.0.0.1", static_cast<std::uint16_t>(port_), {}});
        const auto answer = client->send({.path = path, .within = std::chrono::seconds{60}});
        return answer && answer->status == 200 ? answer->body : std::string{};
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    std::filesystem::path store_file() const { return folder_ / "manager.db"; }

    // Until it has stored so many events.
    void wait_for_events(std::size_t count) const
    {
        const auto client = http_client::make_client({false, "127.0.0.1", static_cast<std::uint16_t>(port_), {}});
        std::string text;
        const auto ended = client->receive(
            {.path = "/api/v1/events/stream?after=0", .within = std::chrono::hours{1}}, [&](auto piece) {
                text += piece;
                std::size_t seen = 0;
                for (auto at = text.find("\ndata: "); at != text.npos; at = text.find("\ndata: ", at + 1)) {
                    ++seen;
                }
                return seen < count;
            });
        ASSERT_TRUE(ended) << ended.error().what;
    }

    // The numbers of the events of a device in the order in which it stored them. For a manager that is dead.
    std::vector<std::uint64_t> stored(const std::string& device) const
    {
        std::vector<std::uint64_t> numbers;
        const auto store = manager::Store::open(store_file());
        EXPECT_TRUE(store) << (store ? "" : store.error().what);
        const auto events = (*store)->events({device, 0, 100'000}).value();
        for (const auto& event : events) {
            const auto at = event.event.find("\"seq\":");
            numbers.push_back(std::stoull(event.event.substr(at + 6)));
        }
        return numbers;
    }

private:
    std::string line_with(std::string_view words)
    {
        std::string line;
        for (char c{}; ::read(log_, &c, 1) == 1;) {
            if (c != '\n') {
                line += c;
            } else if (line.find(words) != line.npos) {
                return line;
            } else {
                line.clear();
            }
        }
        return {};
    }

    std::filesystem::path folder_;
    std::vector<std::string> flags_;
    int port_{};
    int log_{-1};
    pid_t pid_{-1};
};

}  // namespace petrel::test

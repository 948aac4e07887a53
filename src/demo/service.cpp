#include "demo/service.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/control_json.hpp"
#include "codec/manager/view_reader.hpp"
#include "reports/agent/control_text.hpp"
#include "reports/fabric_text.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::demo {

namespace {

using std::chrono::steady_clock;

// The act takes two seconds; a busy machine may need longer.
constexpr std::chrono::seconds kPatience{60};

constexpr std::string_view kConfig = R"([control]
socket = "{0}/control.sock"
[agent]
state_dir = "{0}/state"
[metrics]
listen = ""
[[device]]
driver = "twin:{0}/plan.toml"
[[policy]]
preset = "rdma-switch"
detect_ms = 200
restore_ms = 200
poll_ms = 50
[manager]
url = "{1}"
)";

// The cable between the switch that the agent watches and the broken server.
constexpr std::string_view kCables = R"([[cable]]
ends = ["leaf0-0:Ethernet0", "h0:eth0"]
)";

// Starts this program again with other arguments and reads one of its outputs.
class Child {
public:
    Child(const std::vector<std::string>& arguments, int output)
    {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            return;
        }
        output_ = runtime::FileDescriptor{ends[0]};
        const runtime::FileDescriptor its_end{ends[1]};
        std::vector<std::string> words{"petrel"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (auto& word : words) {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        auto environment = environment_without_settings();
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_adddup2(&files, its_end.get(), output);
        if (::posix_spawn(&pid_, "/proc/self/exe", &files, nullptr, argv.data(), environment.data()) != 0) {
            pid_ = -1;
        }
        ::posix_spawn_file_actions_destroy(&files);
    }
    ~Child()
    {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            wait();
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // None: the child has closed its output, or nothing arrived in time.
    std::optional<std::string> next_line(steady_clock::time_point until)
    {
        for (;;) {
            if (const auto end = unread_.find('\n'); end != std::string::npos) {
                auto line = unread_.substr(0, end);
                unread_.erase(0, end + 1);
                return line;
            }
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now()).count();
            pollfd ready{output_.get(), POLLIN, 0};
            if (pid_ < 0 || left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0) {
                return std::nullopt;
            }
            std::array<char, 4096> buffer{};
            const auto got = ::read(output_.get(), buffer.data(), buffer.size());
            if (got <= 0) {
                return std::nullopt;
            }
            unread_.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }

    // PETREL_CONTROL_SOCKET and the like would override the configuration of the demo's agent.
    static std::vector<char*> environment_without_settings()
    {
        std::vector<char*> kept;
        for (char** variable = environ; *variable != nullptr; ++variable) {
            if (!std::string_view{*variable}.starts_with("PETREL_")) {
                kept.push_back(*variable);
            }
        }
        kept.push_back(nullptr);
        return kept;
    }

    void request_stop() const { ::kill(pid_, SIGTERM); }

    bool wait()  // whether it succeeded
    {
        int status{};
        const bool ended = pid_ > 0 && ::waitpid(pid_, &status, 0) == pid_;
        pid_ = -1;
        return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

private:
    pid_t pid_{-1};
    runtime::FileDescriptor output_;
    std::string unread_;
};

class ServiceAct {
public:
    ServiceAct(const std::filesystem::path& folder, Screen& screen, const Paint& paint)
        : folder_(folder), screen_(screen), paint_(paint)
    {}

    Result<void> play()
    {
        const auto config = (folder_ / "agent.toml").string();
        screen_.print(paint_.dim("$ petrel manager --store manager.db --cables cables.toml\n"));
        Child manager{{"manager", "--listen", "127.0.0.1:0", "--store", (folder_ / "manager.db").string(), "--cables",
                       (folder_ / "cables.toml").string()},
                      STDERR_FILENO};
        const auto listens = manager.next_line(until_).value_or("");
        const auto port = listens.rfind(' ');
        if (!has(listens, "listens at port ") || port == std::string::npos) {
            return tl::unexpected(Error{ErrorKind::unreachable, "the manager did not start: " + listens});
        }
        manager_ = "http://127.0.0.1:" + listens.substr(port + 1);
        if (auto written =
                runtime::write_atomically(config, fmt::format(fmt::runtime(kConfig), folder_.string(), manager_));
            !written) {
            return written;
        }
        screen_.print(paint_.dim("$ petrel agent --config agent.toml\n"));
        Child agent{{"agent", "--config", config}, STDERR_FILENO};
        bool detected = false;
        bool restored = false;
        while (!restored) {
            const auto line = agent.next_line(until_);
            if (!line) {
                return tl::unexpected(Error{ErrorKind::timed_out, "the agent did not find the storm and its end"});
            }
            print_line(*line);
            if (has(*line, " storm_detected ") && !detected) {
                detected = true;
                if (auto shown = show_errors(true); !shown) {
                    return shown;
                }
                show({"queues", "--stormed"}, [](std::string_view answer, std::size_t width) {
                    return codec::read_queues(answer).map(
                        [&](auto queues) { return reports::queues_text(std::move(queues), true, width); });
                });
                show({"explain", "leaf0-0:Ethernet0:3"}, [this](std::string_view answer, std::size_t width) {
                    return codec::read_explanation(answer).map(
                        [&](const auto& report) { return reports::explain_text(report, paint_, width); });
                });
            }
            restored = detected && has(*line, " storm_restored ");
            if (restored) {
                if (auto shown = show_errors(false); !shown) {
                    return shown;
                }
            }
        }
        screen_.print(paint_.dim("$ systemctl stop petrel-agent\n"));
        agent.request_stop();
        while (const auto line = agent.next_line(until_)) {
            print_line(*line);
        }
        if (!agent.wait()) {
            return tl::unexpected(Error{ErrorKind::timed_out, "the agent did not stop"});
        }
        return {};
    }

private:
    static bool has(std::string_view line, std::string_view text) { return line.find(text) != std::string_view::npos; }

    // Shows the lines of the agent's log that a first-time reader needs.
    void print_line(const std::string& line)
    {
        const bool bad = has(line, " storm_detected ");
        const bool good = has(line, " storm_restored ") || has(line, " agent_ready");
        if (bad || good || has(line, " agent_stopp")) {
            screen_.print((bad ? paint_.red(line) : good ? paint_.green(line) : line) + '\n');
        }
    }

    // Shows a command as a user would type it, and its output for the width of this terminal, which the command does
    // not see.
    template <class Render>
    void show(std::vector<std::string> arguments, Render render)
    {
        screen_.print(paint_.dim(fmt::format("$ petrel {}\n", fmt::join(arguments, " "))));
        arguments.insert(arguments.end(), {"--json", "--socket", (folder_ / "control.sock").string()});
        Child command{arguments, STDOUT_FILENO};
        const auto answer = command.next_line(until_);
        const auto text = render(answer.value_or(""), screen_.width());
        screen_.print(text ? *text : text.error().what + '\n');
    }

    // Asks the manager until it knows of an error of a port, or shows none any more.
    Result<void> show_errors(bool some)
    {
        screen_.print(paint_.dim("$ petrel ports --errors\n"));
        for (;;) {
            Child command{{"ports", "--json", "--manager", manager_}, STDOUT_FILENO};
            const auto answer = command.next_line(until_);
            const auto ports = codec::read_ports_view(answer.value_or(""));
            if (!ports || steady_clock::now() > until_) {
                return tl::unexpected(
                    ports ? Error{ErrorKind::timed_out, "the manager does not show what the agent reports"}
                          : ports.error());
            }
            const bool there = std::ranges::any_of(
                *ports, [&](const auto& port) { return some ? !port.errors.empty() : port.in_error(); });
            if (there == some) {
                screen_.print(reports::ports_text(*ports, true, screen_.width()));
                return {};
            }
        }
    }

    std::string manager_;  // its URL
    const std::filesystem::path& folder_;
    Screen& screen_;
    const Paint& paint_;
    steady_clock::time_point until_{steady_clock::now() + kPatience};
};

}  // namespace

Result<void> play_service(const Plan& plan, const std::filesystem::path& folder, Screen& screen, const Paint& paint)
{
    if (auto written = runtime::write_atomically(folder / "plan.toml", plan.text); !written) {
        return written;
    }
    if (auto written = runtime::write_atomically(folder / "cables.toml", kCables); !written) {
        return written;
    }
    return ServiceAct{folder, screen, paint}.play();
}

}  // namespace petrel::demo

#include "cli/sonic_command.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/agent/control_client.hpp"
#include "cli/tool_databases.hpp"
#include "codec/control_json.hpp"
#include "sonic_tools/tools.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

using namespace std::chrono_literals;
using sonic_tools::Where;

constexpr auto kConfigPatience = 30s;
constexpr auto kReadEvery = 100ms;

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool may_write(const ::group* writers)
{
    if (writers == nullptr) {
        return ::geteuid() == 0;
    }
    std::vector<gid_t> mine(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
    const auto got = ::getgroups(static_cast<int>(mine.size()), mine.data());
    mine.resize(static_cast<std::size_t>(std::max(got, 0)));
    return ::getegid() == writers->gr_gid || std::find(mine.begin(), mine.end(), writers->gr_gid) != mine.end();
}

// systemd units and `env -i` have no HOME; then use the user's home directory from the password database.
std::filesystem::path home()
{
    if (const std::filesystem::path given{variable("HOME")}; given.is_absolute()) {
        return given;
    }
    const auto* user = ::getpwuid(::geteuid());
    return user == nullptr || user->pw_dir == nullptr ? "" : user->pw_dir;
}

// Empty rather than a path relative to the working directory.
std::filesystem::path cache()
{
    if (const std::filesystem::path given{variable("XDG_CACHE_HOME")}; given.is_absolute()) {
        return given / "petrel";
    }
    const auto home_folder = home();
    return home_folder.is_absolute() ? home_folder / ".cache" / "petrel" : "";
}

// Reads events until the agent marks their end; all other requests have one line as their answer.
Result<std::vector<std::string>> request_lines(const Where& where, const control::ControlRequest& request)
{
    const auto socket = control_socket(where.socket);
    if (request.command != control::ControlRequest::Command::events) {
        return request_answer(socket, request).map([](std::string line) { return std::vector{std::move(line)}; });
    }
    auto client = ControlClient::send(socket, request);
    if (!client) {
        return tl::unexpected(client.error());
    }
    for (std::vector<std::string> lines;;) {
        auto line = client->line();
        if (!line) {
            return tl::unexpected(line.error());
        }
        if (!*line) {
            return tl::unexpected(
                Error{ErrorKind::unreachable, fmt::format("the agent at {} went away", socket.string())});
        }
        const auto end = codec::read_events_end(**line);
        if (!end) {
            return tl::unexpected(end.error());
        }
        if (*end) {
            return lines;
        }
        lines.push_back(std::move(**line));
    }
}

// Informs the operator at once why the command waits.
class ConfigWait {
public:
    explicit ConfigWait(std::string_view program) : program_(program) {}

    bool operator()()
    {
        const auto now = std::chrono::steady_clock::now();
        if (!until_) {
            until_ = now + kConfigPatience;
            print_stderr(fmt::format("{}: CONFIG_DB is not filled yet ({} is not set): waiting for it, at most {} s",
                                     program_, sonic::kConfigFilled, std::chrono::seconds{kConfigPatience}.count()));
        }
        std::this_thread::sleep_for(kReadEvery);
        return now < *until_;
    }

private:
    std::string program_;
    std::optional<std::chrono::steady_clock::time_point> until_;
};

ExitCode run(std::string_view tool, std::string_view program, std::span<const char* const> given)
{
    const std::vector<std::string> arguments{given.begin(), given.end()};
    // Root needs no group; looking one up may take long.
    const auto* writers = ::geteuid() == 0 ? nullptr : ::getgrnam(sonic_tools::kWriters);
    const ToolDatabases databases{variable("PETREL_REDIS")};
    const auto outcome =
        sonic_tools::run_tool(tool, program, arguments,
                              {.open_store = std::bind_front(&ToolDatabases::open, &databases),
                               .asics = std::bind_front(&ToolDatabases::asics, &databases),
                               .agent_keeps_tables = std::bind_front(&ToolDatabases::are_agents, &databases),
                               .request_answer = request_lines,
                               .wait_for_config = ConfigWait{program},
                               .may_write = may_write(writers),
                               .writers_exist = writers != nullptr,
                               .cache = cache(),
                               .now = std::chrono::system_clock::now()});
    if (!outcome.err.empty()) {
        print_stderr(
            std::string_view{outcome.err}.substr(0, outcome.err.size() - 1));  // print_stderr() ends the line itself
    }
    return finish(outcome.out, static_cast<ExitCode>(outcome.exit_code));
}

}  // namespace

std::optional<ExitCode> run_sonic_tool(int argc, const char* const* argv)
{
    const std::span arguments{argv, static_cast<std::size_t>(argc)};
    if (arguments.empty()) {
        return std::nullopt;
    }
    const auto name = std::filesystem::path{arguments[0]}.filename().string();
    if (sonic_tools::is_tool(name)) {
        return run(name, name, arguments.subspan(1));
    }
    if (arguments.size() > 1 && sonic_tools::is_tool(arguments[1])) {
        return run(arguments[1], fmt::format("{} {}", name, arguments[1]), arguments.subspan(2));
    }
    if (arguments.size() == 3 && arguments[1] == std::string_view{"help"} && sonic_tools::is_tool(arguments[2])) {
        constexpr std::array kHelpFlag{"--help"};
        return run(arguments[2], fmt::format("{} {}", name, arguments[2]), kHelpFlag);
    }
    return std::nullopt;
}

}  // namespace petrel::cli

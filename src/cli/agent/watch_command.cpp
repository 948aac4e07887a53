#include "cli/agent/watch_command.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "cli/agent/control_client.hpp"
#include "codec/control_json.hpp"
#include "reports/agent/control_text.hpp"
#include "terminal/terminal.hpp"
#include "terminal/wrap.hpp"

namespace petrel::cli {
namespace {

using control::ControlRequest;
using Command = ControlRequest::Command;

constexpr int kPeriodMs = 1000;

// Moves to the upper left corner, clears the screen, and cuts long lines instead of wrapping them.
constexpr std::string_view kDraw = "\x1b[H\x1b[2J\x1b[?7l";
constexpr std::string_view kDrawn = "\x1b[?7h";

// Reads single keys without echo during its lifetime. Ctrl-C is read as a key, so that the terminal is restored before
// the program ends.
class SingleKeys {
public:
    SingleKeys()
    {
        if (::tcgetattr(STDIN_FILENO, &before_) == 0) {
            auto single = before_;
            single.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
            active_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &single) == 0;
        }
    }
    ~SingleKeys()
    {
        if (active_) {
            ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
        }
    }
    SingleKeys(const SingleKeys&) = delete;
    SingleKeys& operator=(const SingleKeys&) = delete;

    bool active() const { return active_; }

private:
    termios before_{};
    bool active_{};
};

// Waits for the next drawing. If a key ends the program, returns its exit code.
std::optional<ExitCode> ended_by_key(bool keys)
{
    constexpr char kCtrlC = 3;
    pollfd input{keys ? STDIN_FILENO : -1, POLLIN, 0};
    if (::poll(&input, 1, kPeriodMs) <= 0) {
        return std::nullopt;
    }
    char key{};
    const auto got = ::read(STDIN_FILENO, &key, 1);
    if (got == 0 || key == 'q') {
        return ExitCode::ok;
    }
    return key == kCtrlC ? std::optional{ExitCode::interrupted} : std::nullopt;
}

// The size of the terminal now: its window may change.
reports::Screen screen_now()
{
    constexpr std::size_t kUsual = 24;
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0;
    return {known ? size.ws_row : kUsual, stdout_columns()};
}

struct Answers {
    std::string status;
    std::string queues;
};

Result<Answers> request_both(const std::filesystem::path& socket)
{
    ControlRequest request;
    request.command = Command::status;
    auto status = request_answer(socket, request);
    if (!status) {
        return tl::unexpected(status.error());
    }
    request.command = Command::queues;
    request.stormed = true;
    auto queues = request_answer(socket, request);
    if (!queues) {
        return tl::unexpected(queues.error());
    }
    return Answers{std::move(*status), std::move(*queues)};
}

Result<std::string> as_text(const Answers& answers, const reports::Screen& screen, const Paint& paint)
{
    const auto status = codec::read_status(answers.status);
    if (!status) {
        return tl::unexpected(status.error());
    }
    auto queues = codec::read_queues(answers.queues);
    if (!queues) {
        return tl::unexpected(queues.error());
    }
    return reports::watch_text(*status, std::move(*queues), screen, paint);
}

Result<std::string> look(const ControlOptions& options, const std::filesystem::path& socket,
                         const reports::Screen& screen, const Paint& paint)
{
    const auto answers = request_both(socket);
    if (!answers) {
        return tl::unexpected(answers.error());
    }
    return options.json ? answers->status + '\n' + answers->queues + '\n' : as_text(*answers, screen, paint);
}

}  // namespace

ExitCode run_watch(const ControlOptions& options)
{
    const bool drawn = !options.json && isatty(STDOUT_FILENO) == 1;
    const auto socket = control_socket(options.socket);
    const Paint paint{stdout_wants_colour()};
    std::optional<SingleKeys> keys;
    for (bool first = true;; first = false) {
        const auto screen = drawn ? screen_now() : reports::Screen{kAnyWidth, kAnyWidth};
        auto text = look(options, socket, screen, paint);
        if (!text && (first || !drawn)) {
            return fail(text.error());
        }
        // The agent may be restarting: keep trying and show the error.
        const auto page = text ? *text : fmt::format("{}\n", text.error().what);
        const auto written =
            write_stdout(drawn ? fmt::format("{}{}{}", kDraw, page, kDrawn) : page + (options.json ? "" : "\n"));
        if (!written) {
            return fail(written.error());
        }
        if (!*written) {
            return ExitCode::ok;
        }
        if (drawn && !keys) {
            keys.emplace();
        }
        if (const auto ended = ended_by_key(keys && keys->active())) {
            return *ended;
        }
    }
}

}  // namespace petrel::cli

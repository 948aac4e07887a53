#include "cli/agent/watch_command.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "base/complaint_text.hpp"
#include "cli/agent/control_client.hpp"
#include "cli/agent/watch_screen.hpp"
#include "codec/control_json.hpp"
#include "reports/agent/control_text.hpp"
#include "terminal/terminal.hpp"
#include "terminal/wrap.hpp"

namespace petrel::cli {
namespace {

using control::ControlRequest;

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

// The next keys, waiting for them until the next drawing. A paste is many.
Result<std::vector<std::string>> next_keys(bool active)
{
    pollfd input{active ? STDIN_FILENO : -1, POLLIN, 0};
    if (::poll(&input, 1, kPeriodMs) <= 0) {
        return std::vector<std::string>{};
    }
    std::array<char, 256> bytes{};
    const auto got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got <= 0) {
        return tl::unexpected(Error{ErrorKind::unreachable, "the terminal is gone"});
    }
    return keys_in({bytes.data(), static_cast<std::size_t>(got)});
}

// The size of the terminal now: its window may change.
reports::Screen screen_now()
{
    constexpr std::size_t kUsual = 24;
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0;
    return {known ? size.ws_row : kUsual, stdout_columns()};
}

Result<std::string> request_queues(const std::filesystem::path& socket, bool stormed)
{
    ControlRequest request;
    request.command = ControlRequest::Command::queues;
    request.stormed = stormed;
    return request_answer(socket, request);
}

Result<std::string> request_status(const std::filesystem::path& socket)
{
    ControlRequest request;
    request.command = ControlRequest::Command::status;
    return request_answer(socket, request);
}

Result<std::vector<std::string>> request_events(const std::filesystem::path& socket)
{
    constexpr std::uint32_t kLast = 100;
    ControlRequest request;
    request.command = ControlRequest::Command::events;
    request.last = kLast;
    auto client = ControlClient::send(socket, request);
    if (!client) {
        return tl::unexpected(client.error());
    }
    for (std::vector<std::string> events;;) {
        auto line = client->line();
        if (!line) {
            return tl::unexpected(line.error());
        }
        const auto end = *line ? codec::read_events_end(**line) : std::optional<std::uint64_t>{0};
        if (!end) {
            return tl::unexpected(end.error());
        }
        if (*end) {
            return events;
        }
        events.push_back(std::move(**line));
    }
}

Result<WatchAnswers> request_all(const std::filesystem::path& socket, bool all_queues)
{
    auto status = request_status(socket).and_then(codec::read_status);
    if (!status) {
        return tl::unexpected(status.error());
    }
    auto queues = request_queues(socket, !all_queues).and_then(codec::read_queues);
    if (!queues) {
        return tl::unexpected(queues.error());
    }
    auto events = request_events(socket);
    if (!events) {
        return tl::unexpected(events.error());
    }
    return WatchAnswers{std::move(*status), std::move(*queues), std::move(*events)};
}

// What the agent answers to a key, as text.
std::string answer_to(const ControlRequest& request, const std::filesystem::path& socket, const reports::Screen& screen,
                      const Paint& paint)
{
    ControlOptions options;
    options.request = request;
    const auto line = request_answer(socket, request);
    if (!line) {
        return escaped(line.error().what);
    }
    const auto answer = shown(options, *line, paint, screen.width);
    return answer.text + answer.complaint;
}

Result<std::string> look(const ControlOptions& options, const std::filesystem::path& socket, const Paint& paint)
{
    const auto status = request_status(socket);
    if (!status) {
        return tl::unexpected(status.error());
    }
    const auto queues = request_queues(socket, true);
    if (!queues) {
        return tl::unexpected(queues.error());
    }
    if (options.json) {
        return *status + '\n' + *queues + '\n';
    }
    const auto report = codec::read_status(*status);
    if (!report) {
        return tl::unexpected(report.error());
    }
    return codec::read_queues(*queues).map([&](std::vector<control::QueueReport> all) {
        return reports::watch_text(*report, std::move(all), {kAnyWidth, kAnyWidth}, paint) + '\n';
    });
}

// Without a terminal: the same text once a second.
ExitCode print_looks(const ControlOptions& options, const std::filesystem::path& socket, const Paint& paint)
{
    for (;;) {
        const auto text = look(options, socket, paint);
        if (!text) {
            return fail(text.error());
        }
        const auto written = write_stdout(*text);
        if (!written) {
            return fail(written.error());
        }
        if (!*written) {
            return ExitCode::ok;
        }
        ::poll(nullptr, 0, kPeriodMs);
    }
}

ExitCode draw(const std::filesystem::path& socket, const Paint& paint)
{
    constexpr std::string_view kCtrlC = "\x03";
    WatchScreen watch;
    std::optional<SingleKeys> keys;
    for (;;) {
        const auto screen = screen_now();
        auto answers = request_all(socket, watch.all_queues());
        if (!answers && !keys) {
            return fail(answers.error());
        }
        // The agent may be restarting: keep trying and show the error.
        const bool good = answers.has_value();
        if (good) {
            watch.show(std::move(*answers));
        }
        const auto page = good ? watch.page(screen, paint) : escaped(answers.error().what) + '\n';
        const auto written = write_stdout(fmt::format("{}{}{}", kDraw, page, kDrawn));
        if (!written) {
            return fail(written.error());
        }
        if (!*written) {
            return ExitCode::ok;
        }
        if (!keys) {
            keys.emplace();
        }
        const auto pressed = next_keys(keys->active());
        if (!pressed) {
            static_cast<void>(write_stdout("\n"));
            return ExitCode::ok;
        }
        for (const auto& key : *pressed) {
            const auto wanted = watch.press(key);
            if (wanted.end || key == kCtrlC) {
                static_cast<void>(write_stdout("\n"));
                return wanted.end ? ExitCode::ok : ExitCode::interrupted;
            }
            if (wanted.request) {
                watch.answered(answer_to(*wanted.request, socket, screen, paint));
            }
        }
    }
}

}  // namespace

ExitCode run_watch(const ControlOptions& options)
{
    const auto socket = control_socket(options.socket);
    const Paint paint{stdout_wants_colour()};
    return !options.json && isatty(STDOUT_FILENO) == 1 ? draw(socket, paint) : print_looks(options, socket, paint);
}

}  // namespace petrel::cli

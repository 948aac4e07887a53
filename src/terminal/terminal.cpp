#include "terminal/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <unistd.h>

#include "base/complaint_text.hpp"
#include "terminal/source_lines.hpp"
#include "words/words.hpp"

namespace petrel {
namespace {

// Safe at any time at which it may run: files are replaced atomically, under HoldInterrupts.
extern "C" void end_interrupted(int /*signal*/) { _exit(static_cast<int>(ExitCode::interrupted)); }

bool silent = false;

sigset_t interrupts()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

void write_stderr(std::string_view text)
{
    while (!text.empty() && !silent) {
        const auto written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return;  // stderr is closed
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
}

std::size_t columns_of(int terminal)
{
    if (isatty(terminal) != 1) {
        return kAnyWidth;
    }
    const char* set = std::getenv("COLUMNS");
    const std::string_view text = set == nullptr ? "" : set;
    std::size_t columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (error == std::errc{} && end == text.data() + text.size() && columns != 0) {
        return columns;
    }
    winsize size{};
    return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : kAnyWidth;
}

}  // namespace

void prepare_signals()
{
    std::signal(SIGPIPE, SIG_IGN);
    struct sigaction action{};
    action.sa_handler = end_interrupted;
    sigaction(SIGINT, &action, nullptr);
}

void fall_silent() { silent = true; }

HoldInterrupts::HoldInterrupts()
{
    const auto set = interrupts();
    sigprocmask(SIG_BLOCK, &set, nullptr);
}

HoldInterrupts::~HoldInterrupts()
{
    const auto set = interrupts();
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

bool stdout_wants_colour()
{
    const char* no_colour = std::getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

std::size_t stdout_columns() { return columns_of(STDOUT_FILENO); }

std::string fitted(std::string_view text) { return wrapped(text, stdout_columns()); }

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

std::string Paint::with(std::string_view code, std::string_view text) const
{
    return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string{text};
}

std::string painted(watchdog::EventKind kind, const std::string& text, const Paint& paint)
{
    if (begins_storm(kind)) {
        return paint.red(text);
    }
    return ends_storm(kind) ? paint.green(text) : paint.yellow(text);
}

Result<bool> write_stdout(std::string_view text)
{
    while (!text.empty() && !silent) {
        const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EPIPE) {
            return false;
        } else if (errno != EINTR) {
            return tl::unexpected(
                Error{ErrorKind::exhausted, fmt::format("cannot write to stdout: {}", std::strerror(errno))});
        }
    }
    return true;
}

void print_stderr(std::string_view line)
{
    write_stderr(wrapped(fmt::format("{}\n", line), columns_of(STDERR_FILENO)));
}

ExitCode fail(const Error& error)
{
    write_stderr(with_source_lines(error.complaints, columns_of(STDERR_FILENO)));
    if (error.complaints.empty() || error.what != to_text(error.complaints, "\n")) {
        print_stderr(fmt::format("petrel: {}", error.what));
    }
    return exit_code(error.kind);
}

ExitCode refuse(const std::vector<Complaint>& complaints)
{
    write_stderr(with_source_lines(complaints, columns_of(STDERR_FILENO)));
    return ExitCode::usage;
}

ExitCode finish(std::string_view text, ExitCode code)
{
    if (const auto written = write_stdout(text); !written) {
        return fail(written.error());
    }
    return code;
}

}  // namespace petrel

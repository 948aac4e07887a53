#include "demo/screen.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "terminal/terminal.hpp"
#include "terminal/wrap.hpp"

namespace petrel::demo {
namespace {

// A terminal that can move its cursor and is at least as wide as our lines. Some terminals do not report their width.
bool stdout_can_be_drawn_on()
{
    constexpr unsigned kColumns = 80;
    const char* kind = std::getenv("TERM");
    winsize size{};
    return isatty(STDOUT_FILENO) == 1 && (kind == nullptr || std::string_view{kind} != "dumb") &&
           ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && (size.ws_col == 0 || size.ws_col >= kColumns);
}

}  // namespace

Screen::Screen(bool live) : live_(live && stdout_can_be_drawn_on()), width_(stdout_columns()) {}

void Screen::print(const std::string& text, std::size_t hanging)
{
    write(erase_status() + wrapped(text, width_, hanging) + shown_);
}

void Screen::show(const std::string& text)
{
    if (live_) {
        write(erase_status() + text);
        shown_ = text;
    }
}

void Screen::keep() { shown_.clear(); }

std::string Screen::erase_status() const
{
    const auto lines = std::count(shown_.begin(), shown_.end(), '\n');
    return lines == 0 ? "" : fmt::format("\x1b[{}A\x1b[J", lines);
}

void Screen::write(const std::string& text)
{
    if (!has_reader()) {
        return;
    }
    const HoldInterrupts whole;
    if (const auto written = write_stdout(text); !written) {
        error_ = written.error();
    } else {
        gone_ = !*written;
    }
}

}  // namespace petrel::demo

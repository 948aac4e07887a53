#include "terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "terminal/terminal.hpp"

namespace petrel {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kAgainAfter = 100ms;
constexpr std::size_t kBarWidth = 24;
constexpr auto kClearLine = "\r\x1b[K";

}  // namespace

Progress::Progress() : started_(steady_clock::now()), shown_(started_), on_(stderr_is_terminal()) {}

void Progress::clear()
{
    if (on_) {
        std::fputs(kClearLine, stderr);
    }
}

void Progress::show(double done, const std::string& what)
{
    const auto now = steady_clock::now();
    if (!on_ || now - shown_ < kAgainAfter) {
        return;
    }
    shown_ = now;
    const auto share = std::clamp(done, 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(share * kBarWidth);
    const auto spent = std::chrono::duration<double>(now - started_).count();
    const auto left = share > 0 ? fmt::format("{:.0f} s left", spent / share - spent) : std::string{};
    fmt::print(stderr, "{}[{}{}] {:3.0f} %  {}  {}", kClearLine, std::string(filled, '#'),
               std::string(kBarWidth - filled, '.'), share * 100, what, left);
    std::fflush(stderr);
}

}  // namespace petrel

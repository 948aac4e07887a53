#include "runtime/exit_guard.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace petrel::runtime {
namespace {

std::atomic<const char*> guarded{};  // null: the process may exit

// The exit code is always 1, not the library's: systemd's unit does not restart an agent that ends with 2 or 4.
void end_with_failure(std::string_view call)
{
    if (const auto* meanwhile = guarded.load()) {
        const auto text = fmt::format("petrel: a library called {} {}: this process ends with status 1, and what is in "
                                      "force stays in the journal\n",
                                      call, meanwhile);
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
        ::_exit(1);
    }
}

}  // namespace

ExitGuard::ExitGuard(const char* meanwhile)
{
    [[maybe_unused]] static const bool registered = [] {
        ::on_exit([](int status, void*) { end_with_failure(fmt::format("exit({})", status)); }, nullptr);
        std::at_quick_exit([] { end_with_failure("quick_exit()"); });
        return true;
    }();
    guarded = meanwhile;
}

ExitGuard::~ExitGuard() { guarded = nullptr; }

}  // namespace petrel::runtime

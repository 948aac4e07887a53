#include "cli/device_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/complaint_text.hpp"
#include "device/exec/conformance.hpp"
#include "device/slingshot/exec/conformance.hpp"
#include "drivers/exec_driver.hpp"
#include "runtime/event_loop.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

using device::exec::Check;

std::string_view verdict_word(Check::Verdict verdict)
{
    switch (verdict) {
    case Check::Verdict::passed: return "ok";
    case Check::Verdict::failed: return "FAILED";
    case Check::Verdict::skipped: break;
    }
    return "skipped";
}

}  // namespace

ExitCode run_device_check(const DeviceCheckOptions& options)
{
    const auto words = drivers::exec_words(options.device);
    if (!words) {
        return fail(words.error());
    }
    const auto check =
        options.device.starts_with("exec:") ? device::exec::check_helper : device::slingshot::check_register_helper;
    const auto checks = check(drivers::start_program(*words), runtime::SystemClock{}, options.treat);
    std::string text;
    for (const auto& one : checks) {
        text += fmt::format("{:<7}  {}: {}\n", verdict_word(one.verdict), one.name, escaped(one.detail));
    }
    const auto count = [&](Check::Verdict verdict) { return std::ranges::count(checks, verdict, &Check::verdict); };
    const auto failed = count(Check::Verdict::failed);
    text += failed == 0 ? fmt::format("conforms: {} checks passed, {} skipped\n", count(Check::Verdict::passed),
                                      count(Check::Verdict::skipped))
                        : fmt::format("does not conform: {} of {} checks failed\n", failed, checks.size());
    return finish(fitted(text), failed == 0 ? ExitCode::ok : ExitCode::expectation);
}

}  // namespace petrel::cli

#include "wire/pause_log.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "wire/xname.hpp"

namespace petrel::wire {
namespace {

constexpr std::string_view kKernelName = "kernel";
constexpr std::string_view kAgentName = "fabric_routing";

std::string text_of(const PauseDetected& detected)
{
    const auto us = detected.since_boot.count();
    return fmt::format("[{:5}.{:06}] {}: pm {}: pause too long detected, chan timeouts 0x{:x}", us / 1'000'000,
                       us % 1'000'000, detected.device, detected.port, detected.channel_timeouts);
}

std::string text_of(const PauseReport& report)
{
    const auto port = fmt::format("{} (port name: {})", report.port, report.port_name);
    switch (report.step) {
    case PauseStep::asserted:
        return fmt::format(" Error: Node connected to port {} has asserted Ethernet flow control pause for too long",
                           port);
    case PauseStep::entered_error:
        return fmt::format(" Port {} has moved to an error state. Reason: {}", port, report.reason);
    case PauseStep::stopped: return fmt::format(" Port {} has stopped asserting pause for too long.", port);
    case PauseStep::left_error: break;
    }
    return fmt::format(" Port {} is no longer in an error state", port);
}

// Parses a message from its beginning.
class Words {
public:
    explicit Words(std::string_view text) : rest_(text) {}

    bool skip(std::string_view words)
    {
        const bool there = rest_.starts_with(words);
        rest_.remove_prefix(there ? words.size() : 0);
        return there;
    }

    std::optional<std::uint32_t> number(int base = 10)
    {
        std::uint32_t value = 0;
        const auto [stop, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
        if (problem != std::errc{}) {
            return std::nullopt;
        }
        rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
        return value;
    }

    std::optional<std::string> until(std::string_view words)
    {
        const auto end = rest_.find(words);
        if (end == std::string_view::npos || end == 0) {
            return std::nullopt;
        }
        std::string found{rest_.substr(0, end)};
        rest_.remove_prefix(end + words.size());
        return found;
    }

    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

bool names(std::string_view text, XnameKind kind)
{
    const auto name = parse_xname(text);
    return name && name->kind == kind;
}

std::optional<PauseMessage> detected(std::string_view message)
{
    Words words{message};
    if (!words.skip("[")) {
        return std::nullopt;
    }
    while (words.skip(" ")) {
    }
    const auto seconds = words.number();
    const bool point = words.skip(".");
    const auto digits = words.rest().find(']');
    const auto us = words.number();
    const bool stamp_ends = words.skip("] ");
    auto device = words.until(": pm ");
    const auto port = words.number();
    const bool says_so = words.skip(": pause too long detected, chan timeouts 0x");
    const auto timeouts = words.number(16);
    if (!seconds || !point || digits != 6 || !us || !stamp_ends || !device || !port || !says_so || !timeouts ||
        !words.rest().empty()) {
        return std::nullopt;
    }
    return PauseDetected{std::chrono::seconds{*seconds} + std::chrono::microseconds{*us}, std::move(*device), *port,
                         *timeouts};
}

std::optional<PauseMessage> reported(std::string_view message)
{
    Words words{message};
    words.skip(" ");
    const bool asserted = words.skip("Error: Node connected to port ");
    if (!asserted && !words.skip("Port ")) {
        return std::nullopt;
    }
    const auto port = words.number();
    const bool named = words.skip(" (port name: ");
    const auto port_name = words.until(") ");
    if (!port || !named || !port_name || !names(*port_name, XnameKind::jack_port)) {
        return std::nullopt;
    }
    PauseReport report{PauseStep::asserted, *port, *port_name, {}};
    if (asserted) {
        return words.rest() == "has asserted Ethernet flow control pause for too long" ? std::optional{report}
                                                                                       : std::nullopt;
    }
    if (words.skip("has moved to an error state. Reason: ") && !words.rest().empty()) {
        report.step = PauseStep::entered_error;
        report.reason = words.rest();
    } else if (words.rest() == "has stopped asserting pause for too long.") {
        report.step = PauseStep::stopped;
    } else if (words.rest() == "is no longer in an error state") {
        report.step = PauseStep::left_error;
    } else {
        return std::nullopt;
    }
    return report;
}

}  // namespace

LogLine pause_line(const PauseMessage& message, const LogOrigin& origin)
{
    LogLine line{kUser, kSeverityError, origin.at, origin.host, std::string{kAgentName}, {}, {}, {}, {}};
    if (const auto* by_kernel = std::get_if<PauseDetected>(&message)) {
        line.facility = kKernel;
        line.application = kKernelName;
        line.message = text_of(*by_kernel);
        return line;
    }
    const auto& report = std::get<PauseReport>(message);
    const bool over = report.step == PauseStep::stopped || report.step == PauseStep::left_error;
    line.severity = over ? kSeverityInfo : kSeverityError;
    line.process = std::to_string(origin.process);
    line.message = text_of(report);
    return line;
}

std::optional<PauseMessage> pause_message(const LogLine& line)
{
    if (!names(line.host, XnameKind::switch_controller)) {
        return std::nullopt;
    }
    if (line.application == kKernelName) {
        return detected(line.message);
    }
    return line.application == kAgentName ? reported(line.message) : std::nullopt;
}

}  // namespace petrel::wire

#include "runtime/pause_messages.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace petrel::runtime {

namespace {

using watchdog::Event;
using watchdog::EventKind;
using watchdog::Field;
using watchdog::Reason;
using wire::PauseDetected;
using wire::PauseReport;
using wire::PauseStep;

constexpr std::string_view kDriver = "rossw rossw0";
constexpr std::string_view kTooLong = "ERROR_STATE_ETHERNET_FLOW_CONTROL_TOO_LONG";

bool begins(const Event& event)
{
    return event.kind == EventKind::pause_too_long || event.kind == EventKind::storm_alert;
}

bool ends(const Event& event)
{
    return event.kind == EventKind::pause_too_long_cleared || event.kind == EventKind::storm_released;
}

std::uint32_t last_status(const watchdog::Evidence& evidence)
{
    return evidence.looks == 0
               ? 0
               : evidence.last.at(evidence.looks - 1U).value[static_cast<std::size_t>(Field::pause_timeout)];
}

}  // namespace

std::vector<wire::PauseMessage> pause_messages(const Event& event, const PortNames& port)
{
    if (event.evidence.rule.criterion != watchdog::Criterion::pause_timeout) {
        return {};
    }
    const auto number = port.number.value_or(event.target.port.index);
    const auto report = [&](PauseStep step, std::string_view reason = {}) {
        return PauseReport{step, number, port.xname.empty() ? port.name : port.xname, std::string{reason}};
    };
    std::vector<wire::PauseMessage> messages;
    if (begins(event)) {
        if (event.reason != Reason::reconciled) {
            messages.emplace_back(PauseDetected{std::chrono::microseconds{whole_us(event.at)}, std::string{kDriver},
                                                number, last_status(event.evidence)});
        }
        messages.emplace_back(report(PauseStep::asserted));
        messages.emplace_back(report(PauseStep::entered_error, kTooLong));
    } else if (ends(event)) {
        if (event.reason == Reason::quiet) {
            messages.emplace_back(report(PauseStep::stopped));
        }
        messages.emplace_back(report(PauseStep::left_error));
    }
    return messages;
}

std::vector<wire::LogLine> pause_lines(const Event& event, const PortNames& port, const wire::LogOrigin& origin)
{
    std::vector<wire::LogLine> lines;
    for (const auto& message : pause_messages(event, port)) {
        lines.push_back(pause_line(message, origin));
    }
    return lines;
}

}  // namespace petrel::runtime

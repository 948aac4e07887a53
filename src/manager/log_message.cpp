#include "manager/log_message.hpp"

#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/crc32c.hpp"
#include "codec/manager/unnumbered_event.hpp"
#include "link/decode.hpp"
#include "wire/pause_log.hpp"
#include "wire/xname.hpp"

namespace petrel::manager {
namespace {

using LogKind = fabric::Message::Kind;

std::string normal_name(const std::string& xname)
{
    const auto name = wire::parse_xname(xname);
    return name ? wire::to_string(*name) : xname;
}

// Unknown states of the vendor are errors as well; their names are kept.
link::Canonical cause_of(const std::string& state)
{
    const auto decoded = link::decode("hpe", "fm_error_state:" + state);
    return decoded ? decoded->canonical : link::kUnclassified;
}

std::string_view describe(const wire::PauseReport& report, fabric::Message& message)
{
    message.port = normal_name(report.port_name);
    switch (report.step) {
    case wire::PauseStep::entered_error:
        message.kind = LogKind::error_opened;
        message.cause = cause_of(report.reason);
        message.text = report.reason;
        return message.cause == link::kPauseTooLongFromPeer ? "pause_too_long" : "port_error";
    case wire::PauseStep::stopped: message.kind = LogKind::error_closed; break;
    case wire::PauseStep::left_error: message.kind = LogKind::error_closed; return "pause_too_long_cleared";
    case wire::PauseStep::asserted: break;
    }
    return "log_line";
}

}  // namespace

std::optional<TakenMessage> log_message(const wire::LogLine& line, WallTime now)
{
    const auto pause = wire::pause_message(line);
    if (!pause) {
        return std::nullopt;
    }
    TakenMessage taken;
    auto& message = taken.message;
    const auto text = wire::build(line);
    message.source = {normal_name(line.host), fabric::Channel::log};
    message.at = line.at.value_or(now);
    message.position = {static_cast<std::uint64_t>(message.at.time_since_epoch().count()),
                        crc32c(std::as_bytes(std::span{text}))};
    message.kind = LogKind::other;
    std::string_view event = "log_line";
    if (const auto* report = std::get_if<wire::PauseReport>(&*pause)) {
        event = describe(*report, message);
    }
    taken.event = codec::log_event_json(message, event, line.message);
    return taken;
}

}  // namespace petrel::manager

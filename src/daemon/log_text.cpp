#include "daemon/log_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/complaint_text.hpp"
#include "codec/flat_json.hpp"
#include "wire/rfc5424.hpp"
#include "words/words.hpp"

namespace petrel::daemon {

namespace {

using Level = Log::Level;
using watchdog::EventKind;

constexpr std::string_view kApplication = "petrel-agent";
constexpr std::string_view kElement = "petrel@32473";  // the enterprise number that RFC 5612 reserves for documentation
constexpr std::size_t kLongestHost = 255;              // limit of RFC 5424
constexpr std::size_t kLongestMessageId = 32;

std::string_view name(Level level)
{
    constexpr std::array<std::string_view, 4> kNames{"info", "notice", "warning", "error"};
    return kNames.at(static_cast<std::size_t>(level));
}

std::uint8_t severity(Level level)
{
    return static_cast<std::uint8_t>(wire::kSeverityInfo - static_cast<std::uint8_t>(level));
}

// Quoted if a reader could not see otherwise where the value ends.
std::string value_text(const std::string& value)
{
    auto shown = escaped(value);
    if (!shown.empty() && shown.find_first_of(" =\"[]") == shown.npos) {
        return shown;
    }
    std::string quoted;
    for (const char c : shown) {
        quoted += c == '"' ? "\\\"" : std::string{c};
    }
    return fmt::format("\"{}\"", quoted);
}

std::string text_line(const Log::Line& line, WallTime at, const LogSource& source)
{
    auto text = fmt::format("{} {} {} {}", wire::utc_text(at), escaped(source.agent), name(line.level), line.event);
    const bool both = !line.device.empty() && !line.queue.empty();
    text += line.device.empty() && line.queue.empty() ? "" : " ";
    text += fmt::format("{}{}{}", escaped(line.device), both ? ":" : "", escaped(line.queue));
    text += line.message.empty() ? "" : ": " + escaped(line.message);
    if (!line.fields.empty()) {
        std::string fields;
        for (const auto& [key, value] : line.fields) {
            fields += fmt::format("{}{}={}", fields.empty() ? "" : " ", key, value_text(value));
        }
        text += fmt::format(" [{}]", fields);
    }
    return text;
}

std::string json_line(const Log::Line& line, WallTime at, const LogSource& source)
{
    const auto time = wire::utc_text(at);
    std::vector<std::pair<std::string_view, std::string_view>> members{
        {"time", time}, {"agent", source.agent}, {"level", name(line.level)}, {"event", line.event}};
    const std::pair<std::string_view, std::string_view> optional[] = {
        {"device", line.device}, {"queue", line.queue}, {"words", line.message}};
    std::copy_if(std::begin(optional), std::end(optional), std::back_inserter(members),
                 [](const auto& member) { return !member.second.empty(); });
    members.insert(members.end(), line.fields.begin(), line.fields.end());
    return codec::flat_json(members);
}

// A field of the header of RFC 5424: printable, no spaces, bounded length.
std::string head_field(std::string text, std::size_t most)
{
    text.resize(std::min(text.size(), most));
    std::replace_if(text.begin(), text.end(), [](char c) { return c <= ' ' || c >= '\x7f'; }, '_');
    return text;
}

std::string parameter(std::string_view key, std::string_view value)
{
    std::string text;
    for (const char c : escaped(value)) {
        text += c == '"' || c == '\\' || c == ']' ? fmt::format("\\{}", c) : std::string{c};
    }
    return fmt::format(" {}=\"{}\"", key, text);
}

std::string rfc5424_line(const Log::Line& line, WallTime at, const LogSource& source)
{
    std::string parameters;
    const std::pair<std::string_view, std::string_view> who[] = {{"device", line.device}, {"queue", line.queue}};
    for (const auto& [key, value] : who) {
        parameters += value.empty() ? "" : parameter(key, value);
    }
    for (const auto& [key, value] : line.fields) {
        parameters += parameter(key, value);
    }
    return wire::build({.facility = wire::kDaemon,
                        .severity = severity(line.level),
                        .at = at,
                        .host = head_field(source.agent, kLongestHost),
                        .application = std::string{kApplication},
                        .process = fmt::format("{}", source.pid),
                        .message_id = head_field(line.event, kLongestMessageId),
                        .structured_data = parameters.empty() ? "" : fmt::format("[{}{}]", kElement, parameters),
                        .message = escaped(line.message)});
}

Level level_of(EventKind kind)
{
    switch (kind) {
    case EventKind::mitigation_failed:
    case EventKind::restore_failed:
    case EventKind::storm_latched:
    case EventKind::nic_latched:
    case EventKind::storm_escalated:
    case EventKind::close_switch_port: return Level::error;
    case EventKind::storm_detected:
    case EventKind::storm_alert:
    case EventKind::pause_too_long:
    case EventKind::probe_failed:
    case EventKind::link_down: return Level::warning;
    case EventKind::storm_restored:
    case EventKind::storm_released:
    case EventKind::pause_too_long_cleared:
    case EventKind::order_taken:
    case EventKind::link_up:
    case EventKind::count_: break;
    }
    return Level::notice;
}

constexpr std::size_t kLongestName = 256;  // of a device or queue
constexpr std::size_t kLongestMessage = 4096;
constexpr std::size_t kLongestField = 1024;

bool too_long(const Log::Line& line)
{
    return line.device.size() > kLongestName || line.queue.size() > kLongestName ||
           line.message.size() > kLongestMessage ||
           std::any_of(line.fields.begin(), line.fields.end(),
                       [](const auto& field) { return field.second.size() > kLongestField; });
}

Log::Line shortened(Log::Line line)
{
    line.device = petrel::shortened(line.device, kLongestName);
    line.queue = petrel::shortened(line.queue, kLongestName);
    line.message = petrel::shortened(line.message, kLongestMessage);
    for (auto& [key, value] : line.fields) {
        value = petrel::shortened(value, kLongestField);
    }
    return line;
}

std::string line_in(config::LogFormat format, const Log::Line& line, WallTime at, const LogSource& source)
{
    switch (format) {
    case config::LogFormat::json: return json_line(line, at, source);
    case config::LogFormat::rfc5424: return rfc5424_line(line, at, source);
    case config::LogFormat::text: break;
    }
    return text_line(line, at, source);
}

}  // namespace

std::string log_text(config::LogFormat format, const Log::Line& line, WallTime at, const LogSource& source)
{
    return line_in(format, too_long(line) ? shortened(line) : line, at, source);
}

std::string journal_prefix(Level level) { return fmt::format("<{}>", severity(level)); }

std::string syslog_prefix(Level level, const LogSource& source)
{
    return fmt::format("<{}>{}[{}]: ", wire::kDaemon * 8 + severity(level), kApplication, source.pid);
}

Log::Line event_line(const watchdog::Event& event, const watchdog::Watchlist& watchlist, std::string_view device)
{
    Log::Line line{.level = level_of(event.kind),
                   .event = std::string{name(event.kind)},
                   .device = std::string{device},
                   .queue = event.whole_device ? "" : to_string(watchlist.inventory, event.target),
                   .message = evidence_text(event, watchlist),
                   .fields = {{"seq", fmt::format("{}", event.seq)}, {"reason", std::string{name(event.reason)}}}};
    if (event.policy < watchlist.policies.size()) {
        line.fields.emplace_back("policy", policy_text(event, watchlist));
    }
    if (has_action(event.kind)) {
        line.fields.emplace_back("action", action_name(event.action));
    }
    if (event.cause != 0) {
        line.fields.emplace_back("cause", fmt::format("{}", event.cause));
    }
    return line;
}

std::string file_lost_text(const std::filesystem::path& path)
{
    return fmt::format("{} was removed or replaced; the agent created it again", path.string());
}

}  // namespace petrel::daemon

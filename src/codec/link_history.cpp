#include "codec/link_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "codec/json_text.hpp"
#include "codec/link_json_line.hpp"

namespace petrel::codec {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kHistoryVersionKey = "petrel_link_history";
constexpr std::uint64_t kHistoryVersion = 2;
constexpr std::uint64_t kOldestHistory = 1;

ordered_json to_json(const std::string& port, const link::DownEvent& event)
{
    ordered_json json{{"port", port},
                      {"seq", event.seq},
                      {"ldr", event.ldr},
                      {"nldr", event.nldr},
                      {"event_us", wall_us(event.event_at)},
                      {"observed_us", wall_us(event.observed_at)},
                      {"correlated_cause", nullptr},
                      {"suppressed", event.suppressed},
                      {"protocol_violation", event.protocol_violation}};
    if (event.correlated_cause) {
        json["correlated_cause"] = *event.correlated_cause;
    }
    if (event.raw) {
        json["list"] = link::list_name(event.raw->list);
        json["code"] = event.raw->code;
    }
    if (event.up_at) {
        json["up_us"] = wall_us(*event.up_at);
    }
    if (event.acknowledged) {
        json["acknowledged"] = true;
    }
    return json;
}

// The range is limited so that the difference of two times cannot overflow.
WallTime time_of(LinkJsonLine& line, std::string_view key)
{
    constexpr std::int64_t kFarthest = 1'000'000'000'000'000'000;
    return WallTime{std::chrono::microseconds{line.signed_number(key, kFarthest)}};
}

link::DownEvent read_event(LinkJsonLine& line)
{
    line.refuse_other_keys({"port", "seq", "ldr", "nldr", "event_us", "observed_us", "correlated_cause", "suppressed",
                            "protocol_violation", "list", "code", "up_us", "acknowledged"});
    link::DownEvent event;
    event.seq = line.number("seq");
    if (event.seq == 0) {
        line.complain("seq", "1 or more");
    }
    event.ldr = line.byte("ldr");
    event.nldr = line.byte("nldr");
    event.event_at = time_of(line, "event_us");
    event.observed_at = time_of(line, "observed_us");
    if (const auto cause = line.number_or_null("correlated_cause", 255)) {
        event.correlated_cause = static_cast<std::uint8_t>(*cause);
    }
    event.suppressed = static_cast<std::uint32_t>(line.number("suppressed", std::numeric_limits<std::uint32_t>::max()));
    event.protocol_violation = line.flag("protocol_violation", false);
    if (line.has("list")) {
        const std::string allowed = "the name of a list, such as sai.port_error";
        const auto name = line.text("list", allowed);
        const auto list = name ? link::list_named(*name) : std::nullopt;
        if (name && !list) {
            line.complain("list", allowed);
        }
        event.raw = {list.value_or(0), line.number("code")};
    }
    if (line.has("up_us")) {
        event.up_at = time_of(line, "up_us");
    }
    event.acknowledged = line.flag("acknowledged", false);
    return event;
}

link::AwaitedCause read_awaited(LinkJsonLine& line)
{
    line.refuse_other_keys({"port", "awaited_seq", "correlated_cause"});
    return {line.number("awaited_seq"), line.byte("correlated_cause")};
}

struct PortLines {
    std::uint64_t forgotten{};
    std::vector<link::DownEvent> events;
    std::vector<link::AwaitedCause> awaited;
};

void read_port_line(LinkJsonLine& line, std::map<std::string, PortLines>& ports)
{
    const auto port = line.text("port", "a port name").value_or("");
    if (line.has("forgotten")) {
        line.refuse_other_keys({"port", "forgotten"});
        ports[port].forgotten = std::max(ports[port].forgotten, line.number("forgotten"));
    } else if (line.has("awaited_seq")) {
        ports[port].awaited.push_back(read_awaited(line));
    } else {
        ports[port].events.push_back(read_event(line));
    }
}

}  // namespace

std::string link_history_text(const NamedHistories& histories)
{
    auto text = to_line(ordered_json{{kHistoryVersionKey, kHistoryVersion}}) + '\n';
    for (const auto& [port, history] : histories) {
        text += link_port_line(port, history.forgotten());
        for (const auto& event : history.events()) {
            text += link_event_line(port, event);
        }
        if (const auto& awaited = history.awaited()) {
            text += to_line(ordered_json{
                        {"port", port}, {"awaited_seq", awaited->seq}, {"correlated_cause", awaited->cause}}) +
                    '\n';
        }
    }
    return text;
}

std::string link_port_line(const std::string& port, std::uint64_t forgotten)
{
    return to_line(ordered_json{{"port", port}, {"forgotten", forgotten}}) + '\n';
}

std::string link_event_line(const std::string& port, const link::DownEvent& event)
{
    return to_line(to_json(port, event)) + '\n';
}

Parsed<NamedHistories> read_link_history(std::string_view text, std::string_view file)
{
    ComplaintList complaints{file};
    std::map<std::string, PortLines> ports;
    bool heading = false;
    TextLines lines{text};
    while (const auto line = lines.next()) {
        LinkJsonLine json{*line, complaints};
        if (!heading) {
            heading = true;
            const auto version = json.is_object() ? json.number(kHistoryVersionKey) : kHistoryVersion;
            if (version < kOldestHistory || version > kHistoryVersion) {
                json.complain(kHistoryVersionKey, fmt::format("{}..{}", kOldestHistory, kHistoryVersion));
            }
        } else if (json.is_object()) {
            read_port_line(json, ports);
        }
    }
    if (!heading) {
        complaints.add({1, 1}, {}, fmt::format("a heading with the key {}", kHistoryVersionKey));
    }
    if (!complaints.empty()) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    NamedHistories histories;
    for (const auto& [port, read] : ports) {
        auto& history = histories.emplace(port, link::PortHistory{read.forgotten}).first->second;
        for (const auto& event : read.events) {
            history.add(event);
        }
        for (const auto& [seq, cause] : read.awaited) {
            history.correlate(seq, cause);
        }
    }
    return histories;
}

}  // namespace petrel::codec

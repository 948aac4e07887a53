#include "codec/report_json.hpp"

#include <fmt/format.h>

#include <utility>

#include "codec/json_text.hpp"

namespace petrel::codec {

namespace {

using nlohmann::ordered_json;

std::uint64_t us(twin::Ps time) { return time / twin::kUs; }

ordered_json to_json(const RunReport::Fault& fault) { return {{"time_us", us(fault.at)}, {"what", fault.what}}; }

ordered_json to_json(const RunReport::Event& entry)
{
    const auto& event = *entry.event;
    return {{"time_us", whole_us(event.at)},
            {"event", watchdog::name(event.kind)},
            {"device", entry.device},
            {"where", entry.where},
            {"reason", watchdog::name(event.reason)},
            {"action", watchdog::action_name(event.action)},
            {"why", entry.why}};
}

ordered_json to_json(const RunReport::Tier& tier)
{
    ordered_json json{{"tier", tier.tier},
                      {"nodes", tier.nodes},
                      {"most_held_up", tier.most_held_up},
                      {"most_standing", tier.most_standing},
                      {"first_us", nullptr},
                      {"last_us", nullptr}};
    if (tier.seen) {
        json["first_us"] = us(tier.seen->first);
        json["last_us"] = us(tier.seen->last);
    }
    return json;
}

ordered_json to_json(const RunReport::Queue& queue)
{
    return {{"port", queue.port}, {"priority", queue.priority}, {"paused_us", us(queue.paused)}};
}

ordered_json to_json(const RunReport::Link& link)
{
    return {{"from", link.from}, {"to", link.to}, {"paused_us", us(link.paused)}};
}

template <class T>
std::string value(const T& plain)
{
    return to_line(ordered_json(plain));
}

template <class All, class Text>
std::string list(const All& all, Text text)
{
    std::string lines;
    for (const auto& one : all) {
        lines += (lines.empty() ? "\n   " : ",\n   ") + text(one);
    }
    return '[' + lines + ']';
}

std::string run_json(const RunReport& run)
{
    const auto line = [](const auto& one) { return to_line(to_json(one)); };
    const std::vector<std::pair<std::string_view, std::string>> members{
        {"about", value(run.about)},
        {"command", value(run.command)},
        {"failed", value(run.failed)},
        {"detection_us", run.detection ? value(whole_us(*run.detection)) : value(nullptr)},
        {"summary", std::string{run.summary}},
        {"faults", list(run.faults, line)},
        {"events", list(run.events, line)},
        {"standstill", list(run.standstill, line)},
        {"queues", list(run.queues, line)},
        {"queues_left_out", value(run.queues_left_out)},
        {"links", list(run.links, line)},
        {"links_left_out", value(run.links_left_out)}};
    std::string json;
    for (const auto& [key, text] : members) {
        json += fmt::format("{}\n  \"{}\":{}", json.empty() ? "" : ",", key, text);
    }
    return '{' + json + '}';
}

}  // namespace

std::string report_json(std::string_view version, std::span<const RunReport> runs)
{
    return fmt::format("{{\"petrel\":{},\"runs\":{}}}\n", value(version), list(runs, run_json));
}

}  // namespace petrel::codec

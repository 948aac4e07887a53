#include "codec/scenario/json.hpp"

#include <fmt/format.h>

#include "codec/json_text.hpp"

namespace petrel::codec {

namespace {

using nlohmann::ordered_json;

// Times are rounded down, as everywhere at the interface of the twin.
std::uint64_t ns(twin::Ps time) { return time / twin::kNs; }

ordered_json to_json(const scenario::LinkEndStory& end)
{
    const auto& registers = end.reading.registers;
    ordered_json json{{"port", end.port},
                      {"state", link::logical_name(end.reading.state)},
                      {"ldr", end.available ? ordered_json(registers.ldr) : ordered_json(nullptr)},
                      {"nldr", end.available ? ordered_json(registers.nldr) : ordered_json(nullptr)},
                      {"seq", registers.seq},
                      {"suppressed", end.reading.suppressed},
                      {"protocol_violation", end.reading.protocol_violation},
                      {"available", end.available},
                      {"history", ordered_json::array()}};
    for (const auto& event : end.history) {
        json["history"].push_back({{"seq", event.seq},
                                   {"ldr", event.ldr},
                                   {"nldr", event.nldr},
                                   {"event_us", wall_us(event.event_at)},
                                   {"observed_us", wall_us(event.observed_at)},
                                   {"suppressed", event.suppressed}});
    }
    return json;
}

ordered_json to_json(const scenario::LinkStory& link)
{
    return {{"ends", {to_json(link.ends[0]), to_json(link.ends[1])}}};
}

ordered_json to_json(const scenario::TierSummary& tier)
{
    return {{"tier", tier.tier},
            {"nodes", tier.nodes},
            {"pause_frames", tier.pause_frames},
            {"paused_ns", ns(tier.paused)},
            {"longest_pause_ns", ns(tier.longest_pause)},
            {"paused_now", tier.paused_now},
            {"drops", tier.drops}};
}

ordered_json to_json(const scenario::TrafficSummary& item)
{
    ordered_json json{{"name", item.name},
                      {"flows", item.flows},
                      {"finished", item.finished},
                      {"delivered", item.delivered},
                      {"delivered_bytes", item.delivered_bytes},
                      {"completion_ns", nullptr}};
    if (item.finished != 0) {
        json["completion_ns"] = {
            {"fastest", ns(item.fastest)}, {"median", ns(item.median)}, {"slowest", ns(item.slowest)}};
    }
    return json;
}

ordered_json to_json(const Judged& judged, const std::string& scenario_file)
{
    const auto& expectation = *judged.expectation;
    return {{"line", expectation.line},        {"subject", expectation.subject},
            {"from_ns", ns(expectation.from)}, {"until_ns", ns(expectation.until)},
            {"wanted", expectation.wanted},    {"found", judged.found},
            {"verdict", name(judged.verdict)}, {"file", expectation.file.empty() ? scenario_file : expectation.file}};
}

}  // namespace

std::string summary_json(const scenario::Summary& sum, const RunRecord& run)
{
    ordered_json json{{"event", "summary"},
                      {"scenario", sum.scenario},
                      {"file", run.file},
                      {"settings", run.settings},
                      {"seed", sum.seed},
                      {"simulated_ns", ns(sum.simulated)},
                      {"wall_ms", run.wall.count()},
                      {"digest", fmt::format("{:016x}", sum.totals.digest)},
                      {"packet_hops", sum.totals.packet_hops},
                      {"injected", sum.totals.injected},
                      {"delivered", sum.totals.delivered},
                      {"in_flight", sum.totals.in_flight},
                      {"drops", ordered_json::object()},
                      {"tiers", ordered_json::array()},
                      {"traffic", ordered_json::array()},
                      {"expectations", ordered_json::array()}};
    for (std::size_t i = 0; i < twin::kDrops; ++i) {
        const auto cause = static_cast<twin::Drop>(i);
        json["drops"][std::string{name(cause)}] = sum.totals.drops[cause];
    }
    json["links"] = ordered_json::array();
    for (const auto& link : sum.links) {
        json["links"].push_back(to_json(link));
    }
    for (const auto& tier : sum.tiers) {
        json["tiers"].push_back(to_json(tier));
    }
    for (const auto& item : sum.traffic) {
        json["traffic"].push_back(to_json(item));
    }
    for (const auto& judged : run.judged) {
        json["expectations"].push_back(to_json(judged, run.file));
    }
    return to_line(json);
}

}  // namespace petrel::codec

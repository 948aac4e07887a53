#include "codec/event_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "codec/json_text.hpp"

namespace petrel::codec {

namespace {

using nlohmann::ordered_json;
using watchdog::Evidence;
using watchdog::Field;

constexpr std::array<std::pair<std::uint8_t, std::string_view>, 8> kPauseBits{{
    {watchdog::kPausedBefore, "was"},
    {watchdog::kPausedNow, "is"},
    {watchdog::kNotPausedNow, "over"},
    {watchdog::kThroughout, "throughout"},
    {watchdog::kTrailing, "trailing"},
    {watchdog::kQuiet, "quiet"},
    {watchdog::kQuietStill, "quiet_still"},
    {watchdog::kLinkDown, "link_down"},
}};

std::string_view name(watchdog::Source source)
{
    switch (source) {
    case watchdog::Source::state: return "state";
    case watchdog::Source::duration: return "duration";
    case watchdog::Source::none: break;
    }
    return "none";
}

ordered_json to_json(const watchdog::Interval& look)
{
    ordered_json json{{"dt_us", look.dt_us}, {"pause", ordered_json::array()}};
    for (const auto& [bit, word] : kPauseBits) {
        if ((look.pause & bit) != 0) {
            json["pause"].push_back(word);
        }
    }
    for (std::size_t f = 0; f < watchdog::kFields; ++f) {
        const auto field = static_cast<Field>(f);
        // The pause bits include these two already.
        if (field != Field::pause_state && field != Field::paused_now && watchdog::has(look.known, field)) {
            json[std::string{watchdog::name(field)}] = look.value[f];
        }
    }
    return json;
}

// Evidence rounds down, limits round up.
ordered_json to_json(const Evidence& evidence)
{
    if (evidence.looks == 0 && evidence.limit == Duration::zero()) {
        return nullptr;  // an order or a notice of the device: nothing was measured
    }
    ordered_json json{{"criterion", watchdog::name(evidence.rule.criterion)},
                      {"source", name(evidence.rule.source)},
                      {"proven_us", whole_us(evidence.proven)},
                      {"limit_us", std::chrono::ceil<std::chrono::microseconds>(evidence.limit).count()},
                      {"looks", ordered_json::array()}};
    for (std::size_t i = 0; i < std::min<std::size_t>(evidence.looks, evidence.last.size()); ++i) {
        json["looks"].push_back(to_json(evidence.last[i]));
    }
    return json;
}

ordered_json to_json(const watchdog::LinkReason& link)
{
    ordered_json json{{"number", link.number}, {"ldr", link.ldr}, {"nldr", nullptr}, {"cause", link.cause}};
    if (link.nldr) {
        json["nldr"] = *link.nldr;
    }
    if (link.code) {
        json["list"] = link.list;
        json["code"] = *link.code;
    }
    return json;
}

std::string event_line(const watchdog::Event& event, std::int64_t time_us, const watchdog::Watchlist& watchlist,
                       std::string_view device_name)
{
    const auto& target = event.target;
    ordered_json json{{"seq", event.seq},
                      {"time_us", time_us},
                      {"event", watchdog::name(event.kind)},
                      {"device", device_name},
                      {"port", nullptr},
                      {"queue", nullptr},
                      {"policy", nullptr},
                      {"reason", watchdog::name(event.reason)},
                      {"action", nullptr},
                      {"cause", nullptr}};
    if (!event.whole_device) {
        json["port"] = watchdog::to_string(watchlist.inventory, {target.port, std::nullopt});
    }
    if (target.priority) {
        json["queue"] = target.priority->value;
    }
    if (event.policy < watchlist.policies.size()) {
        json["policy"] = watchlist.policies[event.policy].name;
    }
    if (watchdog::has_action(event.kind)) {
        json["action"] = watchdog::action_name(event.action);
    }
    if (event.cause != 0) {
        json["cause"] = event.cause;
    }
    if (!event.by.empty()) {
        json["by"] = event.by;
    }
    if (event.link) {
        json["link"] = to_json(*event.link);
    }
    json["evidence"] = to_json(event.evidence);
    return to_line(json);
}

std::string key_of_event(std::string_view type) { return "\"event\":" + to_line(ordered_json(type)) + ','; }

// "Ethernet4:3", or "Ethernet4" for the port and all its queues.
bool names_queue_of(std::string_view line, std::string_view name)
{
    if (line.find("\"port\":" + to_line(ordered_json(name)) + ",\"queue\":") != std::string_view::npos) {
        return true;
    }
    const auto colon = name.rfind(':');
    std::uint8_t priority{};
    if (colon == std::string_view::npos) {
        return false;
    }
    const auto* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, priority);
    return error == std::errc{} && stop == end && is_about(line, name.substr(0, colon), Priority{priority});
}

}  // namespace

std::string event_json(const watchdog::Event& event, const watchdog::Watchlist& watchlist, std::string_view device_name)
{
    return event_line(event, whole_us(event.at), watchlist, device_name);
}

std::string event_json(const watchdog::Event& event, WallTime at, const watchdog::Watchlist& watchlist,
                       std::string_view device_name)
{
    return event_line(event, at.time_since_epoch().count(), watchlist, device_name);
}

// For lines that we wrote: their keys have a fixed order, so that no JSON parser is needed.
std::int64_t event_time_us(std::string_view line)
{
    constexpr std::string_view kKey = "\"time_us\":";
    const auto at = line.find(kKey);
    std::int64_t us{};
    if (at != std::string_view::npos) {
        std::from_chars(line.data() + at + kKey.size(), line.data() + line.size(), us);
    }
    return us;
}

bool is_about(std::string_view line, std::string_view port, std::optional<Priority> priority)
{
    const auto queue = priority ? std::to_string(priority->value) : std::string{"null"};
    return line.find("\"port\":" + to_line(ordered_json(port)) + ",\"queue\":" + queue + ',') != std::string_view::npos;
}

bool chooses_events(const control::ControlRequest& request)
{
    return !request.queue.empty() || !request.types.empty() || request.since_us != 0;
}

bool wants_event(const control::ControlRequest& request, std::string_view device, std::string_view line)
{
    if ((!request.device.empty() && request.device != device) ||
        (request.since_us != 0 && event_time_us(line) < request.since_us)) {
        return false;
    }
    const auto is_type = [&](const std::string& type) { return line.find(key_of_event(type)) != line.npos; };
    if (!request.types.empty() && std::ranges::none_of(request.types, is_type)) {
        return false;
    }
    std::string_view queue{request.queue};
    if (queue.empty() || names_queue_of(line, queue)) {
        return true;
    }
    const bool with_device = queue.starts_with(device) && queue.substr(device.size()).starts_with(':');
    return with_device && names_queue_of(line, queue.substr(device.size() + 1));
}

}  // namespace petrel::codec

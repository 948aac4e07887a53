#include "codec/uplink_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "codec/json_shape.hpp"
#include "codec/json_text.hpp"
#include "config/manager_url.hpp"

namespace petrel::codec {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 8;
constexpr std::size_t kLongestProblem = 300;
constexpr auto kForgotten = "events_forgotten";

Error not_an_answer(std::string_view why) { return {ErrorKind::corrupt, fmt::format("not an answer: {}", why)}; }

// None: not an object.
std::optional<Json> object_in(std::string_view text)
{
    if (json_shape(text).depth > kDeepest) {
        return std::nullopt;
    }
    auto json = Json::parse(text, nullptr, false);
    return json.is_object() ? std::optional{std::move(json)} : std::nullopt;
}

std::string text_at(const Json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

// 0 if there is no such number.
std::uint64_t number_at(const Json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
}

std::string_view link_word(std::optional<bool> up) { return !up ? "unknown" : *up ? "up" : "down"; }

}  // namespace

std::string report_head(std::string_view agent, std::string_view boot, std::string_view version,
                        const std::vector<std::string>& devices, std::string_view manager,
                        const uplink::Acknowledged& recounts)
{
    Json head{{"report", 1}, {"agent", agent}, {"boot", boot}, {"version", version}};
    if (!devices.empty()) {
        head["devices"] = devices;
    }
    if (!manager.empty()) {
        head["manager"] = manager;
    }
    if (!recounts.empty()) {
        head["recounts"] = recounts;
    }
    return to_line(head);
}

std::string snapshot_line(const uplink::DeviceState& device)
{
    auto ports = Json::array();
    for (const auto& port : device.ports) {
        auto queues = Json::array();
        for (const auto& queue : port.queues) {
            queues.push_back({{"queue", queue.priority},
                              {"phase", queue.phase},
                              {"configured", queue.configured},
                              {"programmed", queue.programmed},
                              {"observed", queue.observed}});
        }
        Json one{{"port", port.port}, {"link", link_word(port.up)}, {"queues", std::move(queues)}};
        if (port.neighbour) {
            one["neighbour"] = {{"device", port.neighbour->device}, {"port", port.neighbour->port}};
        }
        if (port.uncleared) {
            one["uncleared"] = *port.uncleared;
        }
        ports.push_back(std::move(one));
    }
    return to_line(
        Json{{"devices", Json::array({{{"device", device.device}, {"state", device.state}, {"ports", ports}}})}});
}

std::string storms_line(const uplink::OpenStorms& storms)
{
    auto open = Json::array();
    for (const auto& place : storms.open) {
        Json one{{"port", place.port}};
        if (place.priority) {
            one["queue"] = *place.priority;
        }
        open.push_back(std::move(one));
    }
    return to_line(Json{{"storms", Json::array({{{"device", storms.device},
                                                 {"epoch", storms.last.epoch},
                                                 {"seq", storms.last.seq},
                                                 {"open", std::move(open)}}})}});
}

std::string gap_line(const uplink::Gap& gap)
{
    return to_line(Json{{"seq", gap.last}, {"event", kForgotten}, {"device", gap.device}, {"first", gap.first}});
}

std::optional<uplink::Gap> read_gap(std::string_view line)
{
    if (line.find(kForgotten) == std::string_view::npos) {
        return std::nullopt;  // parsing each of many events would take long
    }
    const auto object = object_in(line);
    if (!object || text_at(*object, "event") != kForgotten) {
        return std::nullopt;
    }
    const uplink::Gap gap{text_at(*object, "device"), number_at(*object, "first"), number_at(*object, "seq")};
    return gap.first != 0 && gap.first <= gap.last ? std::optional{gap} : std::nullopt;
}

std::string samples_line(std::span<const uplink::QueueSample> samples)
{
    auto list = Json::array();
    for (const auto& sample : samples) {
        list.push_back({{"device", sample.device},
                        {"port", sample.port},
                        {"queue", sample.priority},
                        {"time_us", sample.time_us},
                        {"paused_us", sample.paused_us},
                        {"tx_packets", sample.tx_packets},
                        {"rx_pfc", sample.rx_pfc}});
    }
    return to_line(Json{{"samples", std::move(list)}});
}

Result<uplink::Stored> read_stored(std::string_view body)
{
    const auto answer = object_in(body);
    const auto stored = answer ? answer->find("stored") : Json::const_iterator{};
    if (!answer || stored == answer->end() || !stored->is_object()) {
        return tl::unexpected(not_an_answer("no object with \"stored\""));
    }
    uplink::Stored all{text_at(*answer, "manager"), {}, {}};
    for (const auto& [device, value] : stored->items()) {
        const auto seq = value.is_object() ? value.find("seq") : value.end();
        if (!value.is_object() || seq == value.end() || !seq->is_number_unsigned()) {
            return tl::unexpected(not_an_answer("a device without the number \"seq\""));
        }
        all.upto[device] = seq->get<std::uint64_t>();
        if (value.contains("epoch")) {
            all.last[device] = {all.upto[device], number_at(value, "epoch")};
        }
    }
    return all;
}

std::vector<uplink::LinkToClear> read_links_to_clear(std::string_view body)
{
    std::vector<uplink::LinkToClear> links;
    const auto answer = object_in(body);
    const auto devices = answer ? answer->find("clear_links") : Json::const_iterator{};
    if (!answer || devices == answer->end() || !devices->is_object()) {
        return links;
    }
    for (const auto& [device, ports] : devices->items()) {
        if (!ports.is_object()) {
            continue;
        }
        for (const auto& [port, number] : ports.items()) {
            if (number.is_number_unsigned()) {
                links.push_back({device, port, number.get<std::uint64_t>()});
            }
        }
    }
    return links;
}

std::string problem_text(std::string_view body)
{
    const auto problem = object_in(body);
    if (!problem) {
        return {};
    }
    const auto title = text_at(*problem, "title");
    const auto detail = text_at(*problem, "detail");
    const auto text = title + (title.empty() || detail.empty() ? "" : ": ") + detail;
    return text.substr(0, kLongestProblem);
}

std::string acknowledged_json(std::string_view url, const std::map<std::string, std::uint64_t>& acknowledged)
{
    return to_line(Json{{"manager", url}, {"acknowledged", acknowledged}});
}

Result<std::map<std::string, std::uint64_t>> read_acknowledged(std::string_view text, std::string_view url)
{
    const auto record = object_in(text);
    const auto list = record ? record->find("acknowledged") : Json::const_iterator{};
    if (!record || list == record->end() || !list->is_object()) {
        return tl::unexpected(Error{ErrorKind::corrupt, "not a record of acknowledgements"});
    }
    std::map<std::string, std::uint64_t> acknowledged;
    if (!config::name_same_managers(text_at(*record, "manager"), url)) {
        return acknowledged;
    }
    for (const auto& [device, seq] : list->items()) {
        if (!seq.is_number_unsigned()) {
            return tl::unexpected(Error{ErrorKind::corrupt, "not a record of acknowledgements"});
        }
        acknowledged[device] = seq.get<std::uint64_t>();
    }
    return acknowledged;
}

}  // namespace petrel::codec

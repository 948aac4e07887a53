#include "codec/manager/report_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "codec/event_values.hpp"
#include "codec/json_text.hpp"
#include "codec/manager/json_values.hpp"

namespace petrel::codec {

namespace {

using nlohmann::json;

constexpr std::size_t kBootDigits = 32;
constexpr std::array<std::pair<fabric::LinkState, std::string_view>, 3> kLinkStates{
    {{fabric::LinkState::up, "up"}, {fabric::LinkState::down, "down"}, {fabric::LinkState::unknown, "unknown"}}};

void read_head(const json& line, Report& report)
{
    const auto* version = value_at(line, "report");
    if (version == nullptr || !version->is_number_unsigned() || version->get<std::uint64_t>() != 1) {
        refuse_value("report", version, "1");
    }
    report.agent = name_at(line, "agent");
    report.version = word_at(line, "version");
    report.manager = word_at(line, "manager");
    const auto* boot = value_at(line, "boot");
    report.boot = boot != nullptr && boot->is_string() ? boot->get<std::string>() : std::string{};
    const auto* names = value_at(line, "devices");
    if (names != nullptr && !names->is_array()) {
        refuse_value("devices", names, "a list of names");
    }
    for (const auto& name : names == nullptr ? json::array() : *names) {
        report.names.push_back(name_at(json{{"devices", name}}, "devices"));
    }
    const auto* recounts = value_at(line, "recounts");
    if (recounts != nullptr && !recounts->is_object()) {
        refuse_value("recounts", recounts, "an object of names and whole numbers from 1");
    }
    for (const auto& [device, first] : recounts == nullptr ? json::object_t{} : recounts->get<json::object_t>()) {
        if (!is_name(device) || !first.is_number_unsigned() || first.get<std::uint64_t>() == 0) {
            refuse_value("recounts", recounts, "an object of names and whole numbers from 1");
        }
        report.recounts[device] = first.get<std::uint64_t>();
    }
    if (report.boot.size() != kBootDigits || report.boot.find_first_not_of("0123456789abcdef") != std::string::npos) {
        refuse_value("boot", boot, fmt::format("{} hexadecimal digits in lower case", kBootDigits));
    }
}

// Names the first problem of an event that cannot be stored.
[[noreturn]] void refuse_event(std::string_view text)
{
    const auto line = checked_object(text);
    name_at(line, "event");
    name_at(line, "device");
    word_at(line, "port");
    refuse_value("seq", value_at(line, "seq"), "a whole number from 1");
}

void read_one_event(EventValues&& values, std::string_view text, Report& report)
{
    using Key = EventValues::Key;
    using Kind = EventValues::Value::Kind;
    const auto& port = values.at(Key::port);
    if (!is_name(values.at(Key::event).text) || !is_name(values.at(Key::device).text) ||
        (port.kind != Kind::absent && port.kind != Kind::null && !is_name(port.text))) {
        refuse_event(text);
    }
    auto event = event_in(std::move(values));
    if (!event || event->seq == 0) {
        refuse_event(text);
    }
    report.events.push_back({std::move(*event), std::string{text}});
}

fabric::LinkState link_at(const json& port)
{
    const auto word = word_at(port, "link");
    const auto* known =
        std::find_if(kLinkStates.begin(), kLinkStates.end(), [&](auto& one) { return one.second == word; });
    if (known == kLinkStates.end() && !word.empty()) {
        refuse_value("link", value_at(port, "link"), "up, down or unknown");
    }
    return known == kLinkStates.end() ? fabric::LinkState::unknown : known->first;
}

fabric::PortState port_state(const json& given)
{
    fabric::PortState port;
    port.port = name_at(given, "port");
    port.link = link_at(given);
    if (const auto* far = value_at(given, "neighbour"); far != nullptr && !far->is_null()) {
        if (!far->is_object()) {
            refuse_value("neighbour", far, R"({"device":...,"port":...} or absent)");
        }
        port.neighbour = {name_at(*far, "device"), name_at(*far, "port")};
    }
    if (given.contains("uncleared")) {
        port.uncleared = count_at(given, "uncleared");
    }
    each_object(given, "queues", true, [&](const json& queue) {
        port.queues.push_back({priority_at(queue, "queue"), word_at(queue, "phase"), word_at(queue, "configured"),
                               word_at(queue, "programmed"), word_at(queue, "observed")});
    });
    return port;
}

fabric::DeviceState device_state(const json& given)
{
    fabric::DeviceState device;
    device.device = name_at(given, "device");
    device.state = word_at(given, "state");
    each_object(given, "ports", true, [&](const json& port) { device.ports.push_back(port_state(port)); });
    return device;
}

fabric::QueueSample sample(const json& given)
{
    return {{name_at(given, "device"), name_at(given, "port")},
            priority_at(given, "queue"),
            WallTime{std::chrono::microseconds{static_cast<std::int64_t>(count_at(given, "time_us"))}},
            count_at(given, "paused_us"),
            count_at(given, "tx_packets"),
            count_at(given, "rx_pfc")};
}

fabric::OpenStorms open_storms(const json& given)
{
    fabric::OpenStorms storms{name_at(given, "device"), {count_at(given, "epoch"), count_at(given, "seq")}, {}};
    each_object(given, "open", true, [&](const json& place) {
        const auto* queue = value_at(place, "queue");
        storms.open.push_back({name_at(place, "port"), queue == nullptr || queue->is_null()
                                                           ? std::nullopt
                                                           : std::optional{priority_at(place, "queue")}});
    });
    return storms;
}

void read_line(std::string_view text, Report& report)
{
    if (text.find('\r') != text.npos) {
        throw BadValue{"a carriage return inside the line"};
    }
    if (report.agent.empty()) {
        return read_head(bounded_object(text), report);
    }
    EventValues values{text};
    check_depth(values.depth());
    if (values.at(EventValues::Key::event).kind != EventValues::Value::Kind::absent) {
        return read_one_event(std::move(values), text, report);
    }
    const auto line = checked_object(text);
    if (line.contains("devices")) {
        each_object(line, "devices", false,
                    [&](const json& device) { report.devices.push_back(device_state(device)); });
    } else if (line.contains("samples")) {
        each_object(line, "samples", false, [&](const json& one) { report.samples.push_back(sample(one)); });
    } else if (line.contains("storms")) {
        each_object(line, "storms", false, [&](const json& one) { report.storms.push_back(open_storms(one)); });
    } else {
        throw BadValue{"allowed an event, {\"devices\":[...]}, {\"samples\":[...]} or {\"storms\":[...]}"};
    }
}

json state_json(const fabric::PortState& port)
{
    json object{{"port", port.port}};
    for (const auto& [state, word] : kLinkStates) {
        if (state == port.link) {
            object["link"] = word;
        }
    }
    if (port.neighbour) {
        object["neighbour"] = {{"device", port.neighbour->device}, {"port", port.neighbour->port}};
    }
    if (port.uncleared) {
        object["uncleared"] = *port.uncleared;
    }
    for (const auto& queue : port.queues) {
        json row{{"queue", queue.queue.value}};
        for (const auto& [key, word] :
             {std::pair{"phase", &queue.phase}, std::pair{"configured", &queue.configured},
              std::pair{"programmed", &queue.programmed}, std::pair{"observed", &queue.observed}}) {
            if (!word->empty()) {
                row[key] = *word;
            }
        }
        object["queues"].push_back(std::move(row));
    }
    return object;
}

}  // namespace

Result<Report> read_report(std::string_view body)
{
    const auto refused = [](ErrorKind kind, std::string why) { return tl::unexpected(Error{kind, std::move(why)}); };
    if (body.size() > kMostReportBytes) {
        return refused(ErrorKind::exhausted, fmt::format("{} bytes: allowed {}", body.size(), kMostReportBytes));
    }
    Report report;
    std::size_t number = 0;
    while (!body.empty()) {
        if (++number > kMostReportLines) {
            return refused(ErrorKind::exhausted, fmt::format("line {}: allowed {} lines", number, kMostReportLines));
        }
        const auto end = std::min(body.find('\n'), body.size());
        auto line = body.substr(0, end);
        line.remove_suffix(line.ends_with('\r') ? 1 : 0);
        body.remove_prefix(std::min(end + 1, body.size()));
        try {
            read_line(line, report);
        } catch (const BadValue& why) {
            return refused(ErrorKind::invalid, fmt::format("line {}: {}", number, why.what()));
        }
    }
    if (number == 0) {
        return refused(ErrorKind::invalid, "line 1: absent: allowed an object that names the agent");
    }
    return report;
}

std::string device_state_json(const fabric::DeviceState& device)
{
    json object{{"device", device.device}, {"ports", json::array()}};
    if (!device.state.empty()) {
        object["state"] = device.state;
    }
    for (const auto& port : device.ports) {
        object["ports"].push_back(state_json(port));
    }
    return to_line(object);
}

Result<fabric::DeviceState> read_device_state(std::string_view text)
{
    try {
        return device_state(bounded_object(text));
    } catch (const BadValue& why) {
        return tl::unexpected(Error{ErrorKind::corrupt, why.what()});
    }
}

}  // namespace petrel::codec

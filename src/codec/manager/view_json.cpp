#include "codec/manager/view_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "codec/json_text.hpp"
#include "link/taxonomy.hpp"

namespace petrel::codec {

namespace {

using nlohmann::ordered_json;

ordered_json time_json(const std::optional<WallTime>& at) { return at ? ordered_json(wall_us(*at)) : ordered_json(); }

ordered_json text_or_null(const std::string& text) { return text.empty() ? ordered_json() : ordered_json(text); }

ordered_json name_json(const std::optional<fabric::PortName>& name)
{
    return name ? ordered_json{{"device", name->device}, {"port", name->port}} : ordered_json();
}

ordered_json queue_json(const std::optional<Priority>& priority)
{
    return priority ? ordered_json(priority->value) : ordered_json();
}

void add_sight(ordered_json& object, const fabric::Sight& sight)
{
    object["status"] = sight.reports ? "reporting" : "unknown";
    object["heard_us"] = time_json(sight.heard_at);
}

void add_cause(ordered_json& object, link::Canonical cause)
{
    object["cause"] = link::symbol_of(cause);
    object["code"] = cause;
}

std::string_view closed_by(fabric::PortErrorRecord::Closed closed)
{
    using Closed = fabric::PortErrorRecord::Closed;
    return closed == Closed::by_event ? "event" : closed == Closed::forgotten ? "forgotten" : "link_down";
}

void add_error(ordered_json& object, const fabric::PortErrorRecord& error)
{
    const bool open = error.closed == fabric::PortErrorRecord::Closed::not_yet;
    object["queue"] = queue_json(error.priority);
    add_cause(object, error.cause);
    object["text"] = error.raw;
    object["times"] = error.times;
    object["opened_us"] = wall_us(error.opened_at);
    object["closed_us"] = open ? ordered_json() : ordered_json(wall_us(error.closed_at));
    object["closed_by"] = open ? ordered_json() : ordered_json(closed_by(error.closed));
}

std::string_view name(fabric::LinkState link)
{
    return link == fabric::LinkState::up ? "up" : link == fabric::LinkState::down ? "down" : "unknown";
}

ordered_json port_json(const fabric::ShownPort& port)
{
    ordered_json object{{"device", port.name.device}, {"port", port.name.port}};
    object["neighbour"] = name_json(port.neighbour);
    add_sight(object, port.sight);
    object["link"] = name(port.link);
    object["in_error"] = port.in_error();
    object["errors"] = ordered_json::array();
    for (const auto& error : port.errors) {
        ordered_json row = ordered_json::object();
        add_error(row, error);
        object["errors"].push_back(std::move(row));
    }
    object["disagreement"] = ordered_json::array();
    for (const auto& claim : port.disagreement) {
        object["disagreement"].push_back({{"by", fabric::name(claim.by)}, {"neighbour", name_json(claim.neighbour)}});
    }
    object["queues"] = ordered_json::array();
    for (const auto& queue : port.queues) {
        object["queues"].push_back({{"queue", queue.queue.value},
                                    {"phase", text_or_null(queue.phase)},
                                    {"configured", text_or_null(queue.configured)},
                                    {"programmed", text_or_null(queue.programmed)},
                                    {"observed", text_or_null(queue.observed)}});
    }
    return object;
}

template <class Number>
ordered_json number_or_null(const std::optional<Number>& number)
{
    return number ? ordered_json(*number) : ordered_json();
}

ordered_json down_json(const fabric::LinkDown& down)
{
    ordered_json row{{"number", down.number},
                     {"down_us", wall_us(down.at)},
                     {"observed_us", wall_us(down.observed_at)},
                     {"up_us", time_json(down.up_at)},
                     {"ldr", down.ldr},
                     {"nldr", number_or_null(down.nldr)}};
    add_cause(row, down.cause);
    const bool known = down.far_cause != link::kNoReason;
    row["far_cause"] = known ? ordered_json(link::symbol_of(down.far_cause)) : ordered_json();
    row["far_code"] = known ? ordered_json(down.far_cause) : ordered_json();
    row["list"] = text_or_null(down.list);
    row["device_code"] = number_or_null(down.code);
    row["text"] = down.text;
    return row;
}

ordered_json end_json(const fabric::ShownEnd& end)
{
    ordered_json object{{"device", end.name.device}, {"port", end.name.port}};
    add_sight(object, end.sight);
    object["link"] = name(end.link);
    object["down"] = end.down();
    object["quarantined"] = end.quarantined;
    object["registers"] = end.registers ? down_json(*end.registers) : ordered_json();
    object["later"] = end.later;
    object["history"] = ordered_json::array();
    for (const auto& down : end.history) {
        object["history"].push_back(down_json(down));
    }
    return object;
}

template <class Rows, class Make>
std::string list(const char* name, const Rows& rows, const Make& make)
{
    ordered_json all = ordered_json::array();
    for (const auto& row : rows) {
        all.push_back(make(row));
    }
    ordered_json object;
    object[name] = std::move(all);
    return to_line(object);
}

}  // namespace

std::string devices_json(const std::vector<std::pair<fabric::ShownDevice, ShownAgent>>& devices)
{
    return list("devices", devices, [](const auto& row) {
        const auto& [device, agent] = row;
        ordered_json object{{"device", device.name}};
        add_sight(object, device.sight);
        object["state"] = text_or_null(device.state);
        object["agent"] = text_or_null(agent.agent);
        object["version"] = text_or_null(agent.version);
        object["missing"] = device.missing;
        return object;
    });
}

std::string ports_json(const std::vector<fabric::ShownPort>& ports) { return list("ports", ports, port_json); }

std::string links_json(const std::vector<fabric::ShownLink>& links)
{
    return list("links", links, [](const fabric::ShownLink& link) {
        ordered_json ends = ordered_json::array({end_json(link.end)});
        if (link.far_end) {
            ends.push_back(end_json(*link.far_end));
        }
        return ordered_json{{"ends", std::move(ends)}};
    });
}

std::string storms_json(const std::vector<fabric::ShownStorm>& storms)
{
    return list("storms", storms, [](const fabric::ShownStorm& storm) {
        ordered_json object{{"device", storm.port.device}, {"port", storm.port.port}};
        object["neighbour"] = name_json(storm.neighbour);
        add_sight(object, storm.sight);
        add_error(object, storm.error);
        return object;
    });
}

std::string event_json(std::int64_t cursor, const std::optional<fabric::PortName>& neighbour, std::string_view event)
{
    return fmt::format(R"({{"cursor":{},"neighbour":{},"event":{}}})", cursor, to_line(name_json(neighbour)), event);
}

std::string events_json(const std::vector<std::string>& events, std::int64_t next)
{
    return fmt::format(R"({{"events":[{}],"next":{}}})", fmt::join(events, ","), next);
}

std::string samples_json(const std::vector<fabric::QueueSample>& samples, std::int64_t next)
{
    ordered_json rows = ordered_json::array();
    for (const auto& sample : samples) {
        rows.push_back({{"device", sample.port.device},
                        {"port", sample.port.port},
                        {"queue", sample.queue.value},
                        {"time_us", wall_us(sample.at)},
                        {"paused_us", sample.paused_us},
                        {"tx_packets", sample.tx_packets},
                        {"rx_pfc", sample.rx_pfc}});
    }
    return to_line(ordered_json{{"samples", std::move(rows)}, {"next", next}});
}

std::string audit_json(const std::vector<ShownAudit>& entries)
{
    return list("audit", entries, [](const ShownAudit& entry) {
        return ordered_json{{"at_us", entry.at_us},
                            {"who", entry.who},
                            {"what", entry.what},
                            {"on", entry.on},
                            {"result", entry.result}};
    });
}

std::string stored_json(std::string_view manager, const std::vector<std::pair<std::string, fabric::Position>>& stored,
                        const LinksToClear& links, WallTime now)
{
    ordered_json devices = ordered_json::object();
    for (const auto& [device, last] : stored) {
        devices[device] = {{"seq", last.number}, {"epoch", last.epoch}};
    }
    ordered_json answer{{"manager", manager}, {"stored", std::move(devices)}, {"time_us", wall_us(now)}};
    if (!links.empty()) {
        answer["clear_links"] = links;
    }
    return to_line(answer);
}

std::string backup_json(std::string_view file) { return to_line(ordered_json{{"file", file}}); }

std::string problem_json(unsigned status, std::string_view title, std::string_view detail)
{
    return to_line(ordered_json{{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}});
}

}  // namespace petrel::codec

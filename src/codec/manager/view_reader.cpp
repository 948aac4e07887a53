#include "codec/manager/view_reader.hpp"

#include <optional>
#include <utility>

#include "codec/manager/json_values.hpp"

namespace petrel::codec {

namespace {

using nlohmann::json;
using Closed = fabric::PortErrorRecord::Closed;

constexpr std::int64_t kFarthest = INT64_MAX / 4;  // differences of two such times do not overflow

std::optional<WallTime> time_at(const json& object, const char* key)
{
    const auto* value = value_at(object, key);
    if (value == nullptr || value->is_null()) {
        return std::nullopt;
    }
    const auto us = value->is_number_integer() ? value->get<std::int64_t>() : INT64_MAX;
    if (us < -kFarthest || us > kFarthest) {
        refuse_value(key, value, "microseconds since 1970, or null");
    }
    return WallTime{std::chrono::microseconds{us}};
}

std::string text_at(const json& object, const char* key)
{
    const auto* value = value_at(object, key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string{};
}

fabric::PortName port_name(const json& object) { return {name_at(object, "device"), name_at(object, "port")}; }

std::optional<fabric::PortName> neighbour_at(const json& object)
{
    const auto* value = value_at(object, "neighbour");
    return value != nullptr && value->is_object() ? std::optional{port_name(*value)} : std::nullopt;
}

fabric::Sight sight_at(const json& object)
{
    return {text_at(object, "status") == "reporting", time_at(object, "heard_us")};
}

fabric::LinkState link_state_at(const json& object)
{
    const auto word = text_at(object, "link");
    return word == "up" ? fabric::LinkState::up : word == "down" ? fabric::LinkState::down : fabric::LinkState::unknown;
}

std::optional<Priority> queue_at(const json& object)
{
    const auto* value = value_at(object, "queue");
    return value == nullptr || value->is_null() ? std::nullopt : std::optional{priority_at(object, "queue")};
}

fabric::PortErrorRecord error_of(const json& object)
{
    fabric::PortErrorRecord error;
    error.priority = queue_at(object);
    error.cause = static_cast<link::Canonical>(count_at(object, "code"));
    error.raw = text_at(object, "text");
    error.times = static_cast<std::uint32_t>(count_at(object, "times"));
    error.opened_at = time_at(object, "opened_us").value_or(WallTime{});
    const auto closed_by = text_at(object, "closed_by");
    error.closed = closed_by.empty()          ? Closed::not_yet
                   : closed_by == "link_down" ? Closed::by_link_down
                   : closed_by == "forgotten" ? Closed::forgotten
                                              : Closed::by_event;
    error.closed_at = time_at(object, "closed_us").value_or(WallTime{});
    return error;
}

fabric::NeighbourClaim::By claimant(std::string_view word)
{
    using By = fabric::NeighbourClaim::By;
    return word == fabric::name(By::cables) ? By::cables : word == fabric::name(By::agent) ? By::agent : By::far_end;
}

fabric::ShownPort port_of(const json& object)
{
    fabric::ShownPort port{port_name(object), neighbour_at(object), sight_at(object), {}, link_state_at(object), {}};
    each_object(object, "errors", true, [&](const json& error) { port.errors.push_back(error_of(error)); });
    each_object(object, "disagreement", true, [&](const json& claim) {
        if (const auto neighbour = neighbour_at(claim)) {
            port.disagreement.push_back({claimant(text_at(claim, "by")), *neighbour});
        }
    });
    each_object(object, "queues", true, [&](const json& queue) {
        port.queues.push_back({priority_at(queue, "queue"), text_at(queue, "phase"), text_at(queue, "configured"),
                               text_at(queue, "programmed"), text_at(queue, "observed")});
    });
    return port;
}

bool flag_at(const json& object, const char* key)
{
    const auto* value = value_at(object, key);
    return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::optional<std::uint64_t> number_at(const json& object, const char* key)
{
    const auto* value = value_at(object, key);
    return value == nullptr || value->is_null() ? std::nullopt : std::optional{count_at(object, key)};
}

fabric::LinkDown down_of(const json& object)
{
    fabric::LinkDown down;
    down.number = count_at(object, "number");
    down.cause = static_cast<link::Canonical>(count_at(object, "code"));
    down.ldr = static_cast<std::uint8_t>(count_at(object, "ldr"));
    if (const auto nldr = number_at(object, "nldr")) {
        down.nldr = static_cast<std::uint8_t>(*nldr);
    }
    down.at = time_at(object, "down_us").value_or(WallTime{});
    down.observed_at = time_at(object, "observed_us").value_or(WallTime{});
    down.up_at = time_at(object, "up_us");
    down.far_cause = static_cast<link::Canonical>(number_at(object, "far_code").value_or(link::kNoReason));
    down.list = text_at(object, "list");
    down.code = number_at(object, "device_code");
    down.text = text_at(object, "text");
    return down;
}

fabric::ShownEnd end_of(const json& object)
{
    fabric::ShownEnd end{port_name(object), sight_at(object), {}, link_state_at(object)};
    end.quarantined = flag_at(object, "quarantined");
    if (const auto* held = value_at(object, "registers"); held != nullptr && held->is_object()) {
        end.registers = down_of(*held);
    }
    end.later = static_cast<std::uint32_t>(count_at(object, "later"));
    each_object(object, "history", true, [&](const json& down) { end.history.push_back(down_of(down)); });
    return end;
}

fabric::ShownLink link_of(const json& object)
{
    std::vector<fabric::ShownEnd> ends;
    each_object(object, "ends", false, [&](const json& end) { ends.push_back(end_of(end)); });
    if (ends.empty() || ends.size() > 2) {
        refuse_value("ends", value_at(object, "ends"), "one or two ends");
    }
    return {ends.front(), ends.size() == 2 ? std::optional{ends.back()} : std::nullopt};
}

template <class Row, class Read>
Result<std::vector<Row>> rows_of(std::string_view text, const char* list, const Read& read)
{
    const auto refused = [](std::string why) {
        return tl::unexpected(Error{ErrorKind::corrupt, "the manager's answer: " + std::move(why)});
    };
    try {
        const auto answer = bounded_object(text);
        std::vector<Row> rows;
        each_object(answer, list, false, [&](const json& one) { rows.push_back(read(one)); });
        return rows;
    } catch (const BadValue& why) {
        return refused(why.what());
    }
}

}  // namespace

Result<std::vector<fabric::ShownPort>> read_ports_view(std::string_view text)
{
    return rows_of<fabric::ShownPort>(text, "ports", port_of);
}

Result<std::vector<fabric::ShownLink>> read_links_view(std::string_view text)
{
    return rows_of<fabric::ShownLink>(text, "links", link_of);
}

}  // namespace petrel::codec

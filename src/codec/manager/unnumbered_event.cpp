#include "codec/manager/unnumbered_event.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codec/json_text.hpp"

namespace petrel::codec {

namespace {

nlohmann::ordered_json unnumbered_event(const fabric::Message& message, std::string_view event)
{
    nlohmann::ordered_json object{{"seq", 0},          {"time_us", wall_us(message.at)},
                                  {"event", event},    {"device", message.source.device},
                                  {"port", nullptr},   {"queue", nullptr},
                                  {"policy", nullptr}, {"reason", nullptr},
                                  {"action", nullptr}, {"cause", nullptr},
                                  {"by", nullptr},     {"evidence", nullptr}};
    if (!message.port.empty()) {
        object["port"] = message.port;
    }
    if (message.priority) {
        object["queue"] = message.priority->value;
    }
    return object;
}

}  // namespace

std::string log_event_json(const fabric::Message& message, std::string_view event, std::string_view line)
{
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    auto object = unnumbered_event(message, event);
    object["reason"] = "device";
    object["by"] = line;
    return to_line(object);
}

std::string forgotten_event_json(const fabric::Message& message)
{
    auto object = unnumbered_event(message, message.text);
    object["cause"] = message.position.number;
    object["by"] = "the agent does not have this error any more, and has not reported its end: it lost its memory";
    return to_line(object);
}

std::string recount_event_json(const fabric::Message& message)
{
    auto object = unnumbered_event(message, message.text);
    object["by"] = fmt::format("the agent lost the last records of its memory: it counts again from {}",
                               message.position.number + 1);
    return to_line(object);
}

}  // namespace petrel::codec

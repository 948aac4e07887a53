#include "codec/manager/log_event.hpp"

#include <algorithm>

#include "codec/json_text.hpp"

namespace petrel::codec {

std::string log_event_json(const fabric::Message& message, std::string_view event, std::string_view line)
{
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    nlohmann::ordered_json json{{"seq", 0},          {"time_us", wall_us(message.at)},
                                {"event", event},    {"device", message.source.device},
                                {"port", nullptr},   {"queue", nullptr},
                                {"policy", nullptr}, {"reason", "device"},
                                {"action", nullptr}, {"cause", nullptr},
                                {"by", line},        {"evidence", nullptr}};
    if (!message.port.empty()) {
        json["port"] = message.port;
    }
    return to_line(json);
}

}  // namespace petrel::codec

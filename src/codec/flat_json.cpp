#include "codec/flat_json.hpp"

#include <nlohmann/json.hpp>

#include "codec/json_text.hpp"

namespace petrel::codec {

std::string flat_json(std::span<const std::pair<std::string_view, std::string_view>> members)
{
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [key, value] : members) {
        object[std::string{key}] = value;
    }
    return to_line(object);
}

}  // namespace petrel::codec

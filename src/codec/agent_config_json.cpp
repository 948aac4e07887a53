#include "codec/agent_config_json.hpp"

#include <nlohmann/json.hpp>

namespace petrel::codec {

std::string agent_config_json(std::string_view file, std::span<const config::EffectiveValue> values)
{
    using Json = nlohmann::ordered_json;
    auto list = Json::array();
    for (const auto& [key, value, origin] : values) {
        list.push_back({{"key", key}, {"value", value}, {"from", origin}});
    }
    return Json{{"file", file}, {"values", std::move(list)}}.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace petrel::codec

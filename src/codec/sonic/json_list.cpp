#include "codec/sonic/json_list.hpp"

#include <nlohmann/json.hpp>

#include "codec/json_text.hpp"

namespace petrel::codec {

std::string json_list(std::span<const std::string> texts)
{
    auto list = nlohmann::json::array();
    for (const auto& text : texts) {
        list.push_back(text);
    }
    return to_line(list);
}

}  // namespace petrel::codec

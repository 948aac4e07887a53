#include "codec/policy_json.hpp"

#include <nlohmann/json.hpp>

namespace petrel::codec {

std::string policies_json(std::span<const PolicyListing> policies)
{
    using nlohmann::ordered_json;
    auto list = ordered_json::array();
    for (const auto& policy : policies) {
        auto parameters = ordered_json::array();
        for (const auto& p : policy.parameters) {
            parameters.push_back({{"key", p.key}, {"about", p.about}, {"default", p.standard}, {"allowed", p.allowed}});
        }
        list.push_back({{"name", policy.name}, {"about", policy.about}, {"parameters", std::move(parameters)}});
    }
    return ordered_json{{"policies", std::move(list)}}.dump(2) + '\n';
}

}  // namespace petrel::codec

#include "cli/tool_databases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "cli/agent/control_client.hpp"
#include "cli/agent_store.hpp"

namespace petrel::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds{10};

}  // namespace

bool ToolDatabases::are_agents(const sonic_tools::Where& where) const
{
    if (!redis_of(where).empty()) {
        return false;
    }
    return !where.socket.empty() || !sonic::databases_are_here(config_);
}

Result<std::vector<std::string>> ToolDatabases::asics(const sonic_tools::Where& where) const
{
    std::vector<std::string> names;
    if (!redis_of(where).empty() || are_agents(where)) {
        return names;
    }
    return sonic::find_asics(global_).map([&](const std::vector<sonic::Asic>& asics) {
        std::ranges::transform(asics, std::back_inserter(names), &sonic::Asic::name);
        return names;
    });
}

Result<sonic::Databases> ToolDatabases::find(const sonic_tools::Where& where) const
{
    if (where.asic.empty()) {
        return sonic::find_databases(redis_of(where), config_);
    }
    auto asics = sonic::find_asics(global_);
    if (!asics) {
        return tl::unexpected(std::move(asics.error()));
    }
    const auto asic = std::ranges::find(*asics, where.asic, &sonic::Asic::name);
    if (asic == asics->end()) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("{} no longer lists it", global_.string())});
    }
    return std::move(asic->databases);
}

Result<std::unique_ptr<sonic::Store>> ToolDatabases::open(const sonic_tools::Where& where) const
{
    if (are_agents(where)) {
        return std::make_unique<AgentStore>(
            [socket = control_socket(where.socket)](const auto& request) { return request_answer(socket, request); });
    }
    return find(where).map([](sonic::Databases databases) -> std::unique_ptr<sonic::Store> {
        return std::make_unique<sonic::RedisStore>(std::move(databases), kPatience);
    });
}

}  // namespace petrel::cli

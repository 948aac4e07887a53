// The databases that SONiC's tools read and write. --redis or PETREL_REDIS names one server. Else SONiC's own files
// name the databases: those of one ASIC, or of each of several. Without SONiC the agent keeps the tables.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sonic/find_databases.hpp"
#include "sonic_tools/surroundings.hpp"

namespace petrel::cli {

class ToolDatabases {
public:
    // `redis`: the server to use if the command line names none; empty: SONiC's files name it.
    explicit ToolDatabases(std::string redis, std::filesystem::path config = sonic::kDatabaseConfig,
                           std::filesystem::path global = sonic::kDatabaseGlobal)
        : redis_(std::move(redis)), config_(std::move(config)), global_(std::move(global))
    {}

    bool are_agents(const sonic_tools::Where&) const;
    // Their namespaces. None: the switch has one ASIC, or the operator has named one server.
    Result<std::vector<std::string>> asics(const sonic_tools::Where&) const;
    Result<std::unique_ptr<sonic::Store>> open(const sonic_tools::Where&) const;

private:
    const std::string& redis_of(const sonic_tools::Where& where) const
    {
        return where.redis.empty() ? redis_ : where.redis;
    }
    Result<sonic::Databases> find(const sonic_tools::Where&) const;

    std::string redis_;
    std::filesystem::path config_;
    std::filesystem::path global_;
};

}  // namespace petrel::cli

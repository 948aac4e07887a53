// Finds SONiC's databases: at the operator's address, else as SONiC's own file states, else at the default socket. A
// switch with several ASICs has databases for each, and a file that lists them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sonic/redis_store.hpp"

namespace petrel::sonic {

inline constexpr std::string_view kDatabaseConfig = "/var/run/redis/sonic-db/database_config.json";
inline constexpr std::string_view kDatabaseGlobal = "/var/run/redis/sonic-db/database_global.json";
inline constexpr std::string_view kUsualSocket = "unix:///var/run/redis/redis.sock";

// `given`: one address for all databases; empty = not given.
Result<Databases> find_databases(std::string_view given, const std::filesystem::path& config = kDatabaseConfig);

struct Asic {
    std::string name;  // its namespace: "asic0"
    Databases databases;
};

// In the order of the file. Empty: the switch has one ASIC; use find_databases().
Result<std::vector<Asic>> find_asics(const std::filesystem::path& global = kDatabaseGlobal);

// Whether this machine has SONiC's databases: its file or its socket exists.
bool databases_are_here(const std::filesystem::path& config = kDatabaseConfig);

}  // namespace petrel::sonic

// Where SONiC's databases are: as the operator says, else as SONiC's own file says, else where they usually are. A
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

// `given`: an address for all of them; empty = nobody said.
Result<Databases> find_databases(std::string_view given, const std::filesystem::path& config = kDatabaseConfig);

struct Asic {
    std::string name;  // its namespace: "asic0"
    Databases databases;
};

// In the order of the file. None: the switch has one ASIC, and find_databases() has its databases.
Result<std::vector<Asic>> find_asics(const std::filesystem::path& global = kDatabaseGlobal);

// Whether this machine has any, by what find_databases() would look for.
bool databases_are_here();

}  // namespace petrel::sonic

// Where SONiC's databases are: as the operator says, else as SONiC's own file says, else where they usually are.
#pragma once

#include <filesystem>
#include <string_view>

#include "sonic/redis_store.hpp"

namespace petrel::sonic {

inline constexpr std::string_view kDatabaseConfig = "/var/run/redis/sonic-db/database_config.json";
inline constexpr std::string_view kUsualSocket = "unix:///var/run/redis/redis.sock";

// `given`: an address for all of them; empty = nobody said.
Result<Databases> find_databases(std::string_view given, const std::filesystem::path& config = kDatabaseConfig);

// Whether this machine has any, by what find_databases() would look for.
bool databases_are_here();

}  // namespace petrel::sonic

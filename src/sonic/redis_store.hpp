// SONiC's databases in Redis. Their addresses come from database_config.json (codec/sonic/databases.hpp), or from the
// operator: then all databases are at one address, with their default numbers.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/time.hpp"
#include "redis/connection.hpp"
#include "sonic/store.hpp"

namespace petrel::sonic {

struct DatabasePlace {
    redis::Address address;
    int number{};
};

using Databases = std::map<Db, DatabasePlace>;

// All databases at one address, with their default numbers.
Databases at_one_address(const redis::Address&);

class RedisStore final : public Store {
public:
    RedisStore(Databases databases, Duration patience) : databases_(std::move(databases)), patience_(patience) {}

    Result<std::vector<std::string>> keys(Db, std::string_view prefix) override;
    Result<std::vector<Hash>> hashes(Db, std::span<const std::string> keys) override;
    Result<bool> is_set(Db, const std::string& key) override;
    Result<void> apply(Db, std::span<const Change>) override;

    // For callers that need other commands; opened if necessary.
    Result<redis::Connection*> connection(Db);
    // After an error: the next call opens it again.
    void forget(Db db) { open_.erase(db); }

private:
    Result<void> run(Db, const redis::Pipeline&, const redis::Connection::Visit&);

    Databases databases_;
    Duration patience_;
    std::map<Db, std::unique_ptr<redis::Connection>> open_;
};

}  // namespace petrel::sonic

// SONiC's databases as its tools see them: hashes by key, in numbered databases. On a switch they are in Redis
// (redis_store.hpp); other implementations serve the same tools from elsewhere.
//
// Contract: blocking, for one thread. A Store over a connection reconnects by itself if the last call found the
// connection broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "control/table_change.hpp"

namespace petrel::sonic {

enum class Db : std::uint8_t {
    appl = 0,
    asic = 1,
    counters = 2,
    loglevel = 3,
    config = 4,
    flex_counter = 5,
    state = 6
};
inline constexpr std::size_t kDatabases = 7;

// Set when CONFIG_DB is complete.
inline const std::string kConfigFilled = "CONFIG_DB_INITIALIZED";

using Hash = control::TableHash;
using Change = control::TableChange;

class Store {
public:
    virtual ~Store() = default;
    // The keys with this prefix, sorted.
    virtual Result<std::vector<std::string>> keys(Db, std::string_view prefix) = 0;
    // One hash for each key, in the same order; empty = it does not exist.
    virtual Result<std::vector<Hash>> hashes(Db, std::span<const std::string> keys) = 0;
    // Whether a key that is not a hash holds "1": SONiC's services signal in this way that a database is complete.
    virtual Result<bool> is_set(Db, const std::string& key) = 0;
    // Applies all changes or none; no reader sees a part of them.
    virtual Result<void> apply(Db, std::span<const Change>) = 0;
};

}  // namespace petrel::sonic

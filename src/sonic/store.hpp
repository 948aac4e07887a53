// SONiC's databases as its tools see them: hashes by key, in numbered databases. Redis keeps them on a switch
// (redis_store.hpp); whoever wants to serve the same commands from elsewhere is another Store.
//
// Contract: blocking, for one thread. A Store over a connection opens it anew by itself when the last call has found
// it broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "codec/table_change.hpp"

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

// Set when CONFIG_DB is filled.
inline const std::string kConfigFilled = "CONFIG_DB_INITIALIZED";

using Hash = codec::TableHash;
using Change = codec::TableChange;

class Store {
public:
    virtual ~Store() = default;
    // Keys that begin so, sorted.
    virtual Result<std::vector<std::string>> keys(Db, std::string_view prefix) = 0;
    // One for each key, in their order; empty = there is none.
    virtual Result<std::vector<Hash>> hashes(Db, std::span<const std::string> keys) = 0;
    // A key that is no hash and holds "1": how SONiC's services tell each other that a database is filled.
    virtual Result<bool> is_set(Db, const std::string& key) = 0;
    // All or none, and nobody sees half of it.
    virtual Result<void> apply(Db, std::span<const Change>) = 0;
};

}  // namespace petrel::sonic

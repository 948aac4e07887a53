// SONiC's databases in memory, for tests without a server.
#pragma once

#include <map>
#include <set>
#include <string>

#include "sonic/store.hpp"

namespace petrel::test {

class MemoryStore final : public sonic::Store {
public:
    std::map<sonic::Db, std::map<std::string, sonic::Hash>> content;
    std::set<std::string> flags{"CONFIG_DB_INITIALIZED"};

    Result<std::vector<std::string>> keys(sonic::Db db, std::string_view prefix) override
    {
        std::vector<std::string> found;
        for (const auto& [key, hash] : content[db]) {
            if (key.starts_with(prefix)) {
                found.push_back(key);
            }
        }
        return found;
    }

    Result<std::vector<sonic::Hash>> hashes(sonic::Db db, std::span<const std::string> keys) override
    {
        std::vector<sonic::Hash> found;
        for (const auto& key : keys) {
            const auto at = content[db].find(key);
            found.push_back(at != content[db].end() ? at->second : sonic::Hash{});
        }
        return found;
    }

    Result<bool> is_set(sonic::Db, const std::string& key) override { return flags.contains(key); }

    Result<void> apply(sonic::Db db, std::span<const sonic::Change> changes) override
    {
        for (const auto& change : changes) {
            auto& hash = content[db][change.key];
            if (change.kind == sonic::Change::Kind::replace) {
                hash.clear();
            }
            for (const auto& [field, value] : change.fields) {
                if (change.kind == sonic::Change::Kind::remove) {
                    hash.erase(field);
                } else {
                    hash[field] = value;
                }
            }
            if (hash.empty()) {
                content[db].erase(change.key);
            }
        }
        return {};
    }
};

}  // namespace petrel::test

// A Store for commands that end at the first thing that goes wrong: errors are thrown as Stop. It is opened when it is
// first asked, so that help and usage errors need no database.
//
// CONFIG_DB is read only after SONiC has filled it (CONFIG_DB_INITIALIZED): the first read waits for that, as SONiC's
// own tools do, but not for ever. After the limit the command goes on with what is there, and notes() says so.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sonic/store.hpp"
#include "sonic_tools/surroundings.hpp"

namespace petrel::sonic_tools {

using sonic::Change;
using sonic::Db;
using sonic::Hash;

class Tables {
public:
    Tables(const Surroundings& around, Where where) : around_(around), where_(std::move(where)) {}

    Hash hash(Db, const std::string& key);
    std::vector<Hash> hashes(Db, const std::vector<std::string>& keys);
    // Waits for it, up to the limit.
    bool config_is_filled();
    // The entries of a table of CONFIG_DB by name, in natural order.
    std::vector<std::pair<std::string, Hash>> table(std::string_view name);
    void apply(Db, const std::vector<Change>&);

    const std::string& notes() const { return notes_; }  // lines for stderr

private:
    sonic::Store& store();
    void before_reading(Db);

    const Surroundings& around_;
    Where where_;
    std::unique_ptr<sonic::Store> store_;
    std::optional<bool> filled_;  // none: not asked yet
    std::string notes_;
};

// The value of a field, or what stands for none.
std::string field(const Hash&, const std::string& name, std::string_view none = {});

}  // namespace petrel::sonic_tools

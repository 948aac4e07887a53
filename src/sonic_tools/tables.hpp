// The databases of one ASIC, for commands that end at the first error: errors are thrown as Stop and name the ASIC. The
// databases are opened when a command first reads them, so that help and usage errors need no database.
//
// CONFIG_DB is read only after SONiC has filled it (CONFIG_DB_INITIALIZED): the first read waits for that, as SONiC's
// own tools do, but not for ever. After the limit the command continues with what is there, and notes() reports it.
//
// change() only collects changes. The tool writes them after the command has checked every ASIC, so that an error on
// one ASIC leaves the others unchanged as well.
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
    // Waits until SONiC has filled CONFIG_DB, up to the limit.
    bool config_is_filled();
    // The entries of a table of CONFIG_DB by name, in natural order.
    std::vector<std::pair<std::string, Hash>> table(std::string_view name);
    void change(Db, std::vector<Change>);
    bool has_changes() const { return !changes_.empty(); }
    Result<void> write_changes();

    const std::string& asic() const { return where_.asic; }  // empty: the switch has one ASIC
    // For messages about a switch with several ASICs: the text followed by the namespace (" on asic0"), else nothing.
    std::string named(std::string_view before) const;
    const std::string& notes() const { return notes_; }  // lines for stderr

private:
    template <class T>
    T or_stop(Result<T>) const;
    Error with_asic(Error) const;
    sonic::Store& store();
    void before_reading(Db);

    const Surroundings& around_;
    Where where_;
    std::unique_ptr<sonic::Store> store_;
    std::optional<bool> filled_;  // none: not read yet
    std::vector<std::pair<Db, std::vector<Change>>> changes_;
    std::string notes_;
};

// The value of a field; `none` if the field is absent.
std::string field(const Hash&, const std::string& name, std::string_view none = {});

}  // namespace petrel::sonic_tools

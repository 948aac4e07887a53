// SONiC's databases in memory, for an agent that keeps them itself. The configuration (CONFIG_DB) survives the process:
// each change is stored by `Keep` before it is in force. The agent writes everything else again after a start.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "sonic/store.hpp"

namespace petrel::sonic {

using control::TableContent;

class TableStore final : public Store {
public:
    // Stores the new configuration. If it fails, nothing has changed.
    using Keep = std::function<Result<void>(const TableContent& config)>;

    TableStore(TableContent config, Keep);

    Result<std::vector<std::string>> keys(Db, std::string_view prefix) override;
    Result<std::vector<Hash>> hashes(Db, std::span<const std::string> keys) override;
    Result<bool> is_set(Db, const std::string& key) override;
    Result<void> apply(Db, std::span<const Change>) override;

    // Replaces the rows of the configuration that begin with the prefix. For rows that show a device: they are in force
    // already, and `Keep` need not store them.
    void mirror(std::string_view prefix, TableContent rows);

    const TableContent& config() const { return content_.at(static_cast<std::size_t>(Db::config)); }
    // Changes whenever the configuration does.
    std::uint64_t version() const { return version_; }

private:
    Result<void> configure(std::span<const Change>);
    TableContent& content(Db db) { return content_.at(static_cast<std::size_t>(db)); }

    std::array<TableContent, kDatabases> content_;
    Keep keep_;
    std::uint64_t version_{};
};

}  // namespace petrel::sonic

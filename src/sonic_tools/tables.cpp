#include "sonic_tools/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/complaint_text.hpp"
#include "sonic_tools/natural_order.hpp"
#include "sonic_tools/outcome.hpp"

namespace petrel::sonic_tools {

Error Tables::with_asic(Error error) const
{
    if (!asic().empty()) {
        error.what = fmt::format("{}: {}", asic(), error.what);
    }
    return error;
}

template <class T>
T Tables::or_stop(Result<T> result) const
{
    if (!result) {
        stop_with(with_asic(std::move(result.error())));
    }
    return std::move(*result);
}

sonic::Store& Tables::store()
{
    if (!store_) {
        store_ = or_stop(around_.open_store(where_));
    }
    return *store_;
}

Hash Tables::hash(Db db, const std::string& key) { return std::move(hashes(db, {key}).front()); }

std::vector<Hash> Tables::hashes(Db db, const std::vector<std::string>& keys)
{
    before_reading(db);
    return or_stop(store().hashes(db, keys));
}

bool Tables::config_is_filled()
{
    if (!filled_) {
        const auto is_filled = [this] { return or_stop(store().is_set(Db::config, sonic::kConfigFilled)); };
        filled_ = is_filled();
        while (!*filled_ && around_.wait_for_config()) {
            filled_ = is_filled();
        }
    }
    return *filled_;
}

void Tables::before_reading(Db db)
{
    if (db == Db::config && !filled_ && !config_is_filled()) {
        notes_ += fmt::format("CONFIG_DB{} is not filled ({} is not set): what it has may be incomplete\n",
                              named(" of "), sonic::kConfigFilled);
    }
}

std::vector<std::pair<std::string, Hash>> Tables::table(std::string_view name)
{
    before_reading(Db::config);
    const auto prefix = fmt::format("{}|", name);
    auto keys = or_stop(store().keys(Db::config, prefix));
    std::sort(keys.begin(), keys.end(), naturally_before);
    auto found = hashes(Db::config, keys);
    std::vector<std::pair<std::string, Hash>> entries;
    for (std::size_t i = 0; i != keys.size(); ++i) {
        entries.emplace_back(keys[i].substr(prefix.size()), std::move(found[i]));
    }
    return entries;
}

void Tables::change(Db db, std::vector<Change> changes)
{
    if (!changes.empty()) {
        changes_.emplace_back(db, std::move(changes));
    }
}

Result<void> Tables::write_changes()
{
    for (const auto& [db, changes] : changes_) {
        if (auto written = store().apply(db, changes); !written) {
            return tl::unexpected(with_asic(std::move(written.error())));
        }
    }
    return {};
}

std::string Tables::named(std::string_view before) const
{
    return asic().empty() ? "" : fmt::format("{}{}", before, excerpt(asic()));
}

std::string field(const Hash& hash, const std::string& name, std::string_view none)
{
    const auto found = hash.find(name);
    return found == hash.end() ? std::string{none} : found->second;
}

}  // namespace petrel::sonic_tools

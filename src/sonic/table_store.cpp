#include "sonic/table_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/sonic/table_file.hpp"

namespace petrel::sonic {

namespace {

// A configuration of 512 ports has 0.2 MB.
constexpr std::size_t kLargestConfig = 4UL * 1024 * 1024;

void make(const Change& change, TableContent& content)
{
    auto& hash = content[change.key];
    if (change.kind == Change::Kind::replace) {
        hash.clear();
    }
    for (const auto& [field, value] : change.fields) {
        if (change.kind == Change::Kind::remove) {
            hash.erase(field);
        } else {
            hash[field] = value;
        }
    }
    if (hash.empty()) {
        content.erase(change.key);
    }
}

std::size_t size_of(const TableContent& content)
{
    std::size_t size = 0;
    for (const auto& [key, hash] : content) {
        size = std::accumulate(hash.begin(), hash.end(), size + key.size(), [](std::size_t sum, const auto& field) {
            return sum + field.first.size() + field.second.size();
        });
    }
    return size;
}

}  // namespace

TableStore::TableStore(TableContent config, Keep keep) : keep_(std::move(keep))
{
    content(Db::config) = std::move(config);
}

Result<std::vector<std::string>> TableStore::keys(Db db, std::string_view prefix)
{
    std::vector<std::string> found;
    const auto& all = content(db);
    for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
        found.push_back(at->first);
    }
    return found;
}

Result<std::vector<Hash>> TableStore::hashes(Db db, std::span<const std::string> keys)
{
    std::vector<Hash> found;
    const auto& all = content(db);
    for (const auto& key : keys) {
        const auto at = all.find(key);
        found.push_back(at != all.end() ? at->second : Hash{});
    }
    return found;
}

// The store is always complete before it can be used.
Result<bool> TableStore::is_set(Db db, const std::string& key) { return db == Db::config && key == kConfigFilled; }

Result<void> TableStore::apply(Db db, std::span<const Change> changes)
{
    if (db == Db::config) {
        return configure(changes);
    }
    for (const auto& change : changes) {
        make(change, content(db));
    }
    return {};
}

void TableStore::mirror(std::string_view prefix, TableContent rows)
{
    auto& all = content(Db::config);
    std::erase_if(all, [&](const auto& row) { return row.first.starts_with(prefix); });
    all.merge(rows);
    ++version_;
}

Result<void> TableStore::configure(std::span<const Change> changes)
{
    auto next = content(Db::config);
    for (const auto& change : changes) {
        if (!codec::fits_table_file(change.key)) {
            return tl::unexpected(
                Error{ErrorKind::invalid, fmt::format("key '{}': allowed TABLE|ENTRY", escaped(change.key))});
        }
        make(change, next);
    }
    if (next == content(Db::config)) {
        return {};
    }
    if (size_of(next) > kLargestConfig) {
        return tl::unexpected(
            Error{ErrorKind::exhausted, fmt::format("a configuration of more than {} bytes", kLargestConfig)});
    }
    return keep_(next).map([&] {
        content(Db::config) = std::move(next);
        ++version_;
    });
}

}  // namespace petrel::sonic

// Turns exceptions of the SQLite library into errors that name the file. For the .cpp files of the store only.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <string>
#include <type_traits>

#include "base/result.hpp"
#include "base/time.hpp"

namespace petrel::manager {

inline Error store_error(const std::string& path, const SQLite::Exception& why)
{
    const auto code = why.getErrorCode();
    const auto kind = code == SQLITE_CORRUPT || code == SQLITE_NOTADB  ? ErrorKind::corrupt
                      : code == SQLITE_PERM || code == SQLITE_READONLY ? ErrorKind::denied
                      : code == SQLITE_FULL                            ? ErrorKind::exhausted
                                                                       : ErrorKind::unreachable;
    const auto* hint = code == SQLITE_BUSY ? " (does another manager use it?)" : "";
    return {kind, fmt::format("the manager's store {}: {}{}", path, why.what(), hint)};
}

template <class Do>
auto guarded(const std::string& path, const Do& act) -> Result<std::invoke_result_t<const Do&>>
{
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<const Do&>>) {
            act();
            return {};
        } else {
            return act();
        }
    } catch (const SQLite::Exception& why) {
        return tl::unexpected(store_error(path, why));
    }
}

inline std::int64_t us_of(WallTime at) { return at.time_since_epoch().count(); }
inline WallTime time_of(std::int64_t us) { return WallTime{std::chrono::microseconds{us}}; }

// SQLite has signed numbers only.
inline std::int64_t to_column(std::uint64_t value) { return static_cast<std::int64_t>(value); }
inline std::uint64_t from_column(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace petrel::manager

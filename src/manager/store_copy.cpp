// Copies the store while the manager uses it. The copy has its name only when it is complete and on disk.
#include <SQLiteCpp/Backup.h>

#include <system_error>
#include <utility>

#include "manager/store.hpp"
#include "manager/store_guard.hpp"

namespace petrel::manager {

namespace {

constexpr int kPagesOfStep = 500;

std::filesystem::path draft_of(std::filesystem::path path)
{
    path += ".part";
    return path;
}

}  // namespace

struct Store::Copy::Sqlite {
    Sqlite(const std::string& file, SQLite::Database& from)
        : to{file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE}, backup{to, from}
    {}

    SQLite::Database to;
    SQLite::Backup backup;
};

Store::Copy::Copy(std::unique_ptr<Sqlite> sqlite, std::filesystem::path path)
    : sqlite_(std::move(sqlite)), path_(std::move(path))
{}

Store::Copy::~Copy() = default;

Result<std::unique_ptr<Store::Copy>> Store::copy(const std::filesystem::path& path)
{
    const auto draft = draft_of(path);
    std::error_code absent;
    std::filesystem::remove(draft, absent);
    return guarded(draft.string(), [&] {
        auto sqlite = std::make_unique<Copy::Sqlite>(draft.string(), *database_);
        return std::unique_ptr<Copy>{new Copy{std::move(sqlite), path}};
    });
}

Result<bool> Store::Copy::step()
{
    const auto draft = draft_of(path_);
    auto done = guarded(draft.string(), [&] { return sqlite_->backup.executeStep(kPagesOfStep) == SQLITE_DONE; });
    if (!done || !*done) {
        return done;
    }
    sqlite_.reset();  // everything is on disk
    std::error_code failed;
    std::filesystem::rename(draft, path_, failed);
    if (failed) {
        return tl::unexpected(
            Error{ErrorKind::unreachable, fmt::format("the copy {}: {}", path_.string(), failed.message())});
    }
    return true;
}

}  // namespace petrel::manager

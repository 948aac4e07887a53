#include "daemon/sonic/config_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <string>

#include "codec/sonic/table_file.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/file_lock.hpp"
#include "sonic/table_store.hpp"

namespace petrel::daemon {

namespace {

// Parses saved tables as if they had just been read from CONFIG_DB.
Result<sonic::Config> config_of(control::TableContent tables)
{
    sonic::TableStore store{std::move(tables), [](const control::TableContent&) { return Result<void>{}; }};
    return sonic::read_config(store, sonic::Role::owner);
}

}  // namespace

Result<void> ConfigMemory::keep(const sonic::Config& config)
{
    auto tables = config.tables;
    std::erase_if(tables, [](const auto& entry) { return !codec::fits_table_file(entry.first); });
    const auto text = codec::table_file_text(tables);
    return runtime::StateFolder::of(file_).and_then([&](const runtime::StateFolder& folder) -> Result<void> {
        const auto before = folder.read(name());
        if (before && *before && **before == text) {
            confirm();
            return {};
        }
        // The file of a later version stays for that version.
        if (const auto read =
                before && *before ? codec::read_table_file(**before, file_.string()) : control::TableContent{};
            !read && read.error().kind == ErrorKind::unsupported) {
            return tl::unexpected(
                Error{read.error().kind, fmt::format("{} is not replaced: {}", file_.string(), read.error().what)});
        }
        return runtime::write_atomically(file_, text);
    });
}

void ConfigMemory::confirm() const
{
    const auto file = open();
    if (file && *file) {
        ::futimens((*file)->get(), nullptr);  // a failure only leaves an old time
    }
}

Result<std::optional<ConfigMemory::Kept>> ConfigMemory::recall() const
{
    // Taking the lock also removes temporary files that killed processes left.
    static_cast<void>(runtime::HeldFile::take(file_));
    const auto file = open();
    if (!file) {
        return tl::unexpected(file.error());
    }
    if (!*file) {
        return std::nullopt;
    }
    struct stat found{};
    ::fstat((*file)->get(), &found);
    return runtime::read_all(**file, file_)
        .and_then([this](const std::string& text) { return codec::read_table_file(text, file_.string()); })
        .and_then(config_of)
        .map([&](sonic::Config config) -> std::optional<Kept> {
            return Kept{std::move(config), WallTime{std::chrono::seconds{found.st_mtim.tv_sec}}};
        });
}

Result<std::optional<runtime::FileDescriptor>> ConfigMemory::open() const
{
    return runtime::StateFolder::of(file_).and_then(
        [&](const runtime::StateFolder& folder) { return folder.find(name(), O_RDONLY); });
}

}  // namespace petrel::daemon

#include "daemon/sonic/config_memory.hpp"

#include <chrono>
#include <string>
#include <system_error>

#include "codec/table_file.hpp"
#include "runtime/atomic_file.hpp"
#include "sonic/table_store.hpp"

namespace petrel::daemon {

namespace {

using FileClock = std::filesystem::file_time_type::clock;

// As it was read at that time.
Result<sonic::Config> config_of(codec::TableContent tables)
{
    sonic::TableStore store{std::move(tables), [](const codec::TableContent&) { return Result<void>{}; }};
    return sonic::read_config(store, sonic::Role::owner);
}

}  // namespace

Result<void> ConfigMemory::keep(const sonic::Config& config)
{
    auto tables = config.tables;
    std::erase_if(tables, [](const auto& entry) { return !codec::fits_table_file(entry.first); });
    const auto text = codec::table_file_text(tables);
    if (const auto before = runtime::read_whole_file(file_); before && *before == text) {
        confirm();
        return {};
    }
    return runtime::write_atomically(file_, text);
}

void ConfigMemory::confirm() const
{
    std::error_code ignored;  // the text is right, whatever its time
    std::filesystem::last_write_time(file_, FileClock::now(), ignored);
}

Result<std::optional<ConfigMemory::Kept>> ConfigMemory::recall() const
{
    std::error_code failed;
    const auto written = std::filesystem::last_write_time(file_, failed);
    if (failed == std::errc::no_such_file_or_directory) {
        return std::nullopt;
    }
    if (failed) {
        return tl::unexpected(Error{ErrorKind::denied, failed.message()});
    }
    return runtime::read_whole_file(file_)
        .and_then([](const std::string& text) { return codec::read_table_file(text); })
        .and_then(config_of)
        .map([&](sonic::Config config) -> std::optional<Kept> {
            return Kept{std::move(config), std::chrono::floor<std::chrono::seconds>(FileClock::to_sys(written))};
        });
}

}  // namespace petrel::daemon

#include "sonic_tools/saved_counters.hpp"

#include <fmt/format.h>

#include <sstream>
#include <system_error>

#include "runtime/atomic_file.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::sonic_tools {
namespace {

std::filesystem::path file_in(const std::filesystem::path& folder) { return folder / "pfcstat"; }

}  // namespace

Result<void> save(const std::filesystem::path& folder, const SavedCounters& saved)
{
    if (folder.empty()) {
        return tl::unexpected(
            Error{ErrorKind::invalid,
                  "there is no folder for them: this user has no home; XDG_CACHE_HOME can name a folder"});
    }
    for (const auto& wanted : {folder.parent_path(), folder}) {
        if (std::error_code error; std::filesystem::create_directory(wanted, error), error) {
            return tl::unexpected(
                Error{ErrorKind::exhausted, fmt::format("cannot make {}: {}", wanted.string(), error.message())});
        }
    }
    auto text = saved.time + '\n';
    for (const auto& [which, counts] : saved.counts) {
        text += fmt::format("{} {}\n", which, fmt::join(counts, " "));
    }
    return runtime::write_atomically(file_in(folder), text, runtime::kEverybodysFile);
}

std::optional<SavedCounters> load(const std::filesystem::path& folder)
{
    if (folder.empty()) {
        return std::nullopt;
    }
    const auto text = runtime::read_regular_file(file_in(folder));
    if (!text) {
        return std::nullopt;
    }
    std::istringstream in{*text};
    SavedCounters saved;
    if (!std::getline(in, saved.time)) {
        return std::nullopt;
    }
    for (std::string line; std::getline(in, line);) {
        std::istringstream words{line};
        std::string kind;
        std::string port;
        Counts counts;
        words >> kind >> port;
        for (auto& count : counts) {
            words >> count;
        }
        if (!words) {
            return std::nullopt;
        }
        saved.counts.emplace(fmt::format("{} {}", kind, port), counts);
    }
    return saved;
}

void forget(const std::filesystem::path& folder)
{
    if (!folder.empty()) {
        std::error_code error;
        std::filesystem::remove(file_in(folder), error);
    }
}

}  // namespace petrel::sonic_tools

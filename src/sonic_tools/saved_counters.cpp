#include "sonic_tools/saved_counters.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace petrel::sonic_tools {
namespace {

std::filesystem::path file_in(const std::filesystem::path& folder) { return folder / "pfcstat"; }

}  // namespace

Result<void> save(const std::filesystem::path& folder, const SavedCounters& saved)
{
    if (folder.empty()) {
        return tl::unexpected(Error{ErrorKind::invalid, "there is no folder for them: whoever runs this has no home; "
                                                        "XDG_CACHE_HOME can name a folder"});
    }
    const auto file = file_in(folder);
    const auto failed = [&](const std::error_code& why) {
        return tl::unexpected(
            Error{ErrorKind::exhausted, fmt::format("cannot write {}: {}", file.string(), why.message())});
    };
    std::error_code error;
    for (const auto& wanted : {folder.parent_path(), folder}) {
        if (std::filesystem::create_directory(wanted, error); error) {
            return failed(error);
        }
    }
    auto text = saved.time + '\n';
    for (const auto& [which, counts] : saved.counts) {
        text += fmt::format("{} {}\n", which, fmt::join(counts, " "));
    }
    // Whole or not at all: a disk may be full.
    auto beside = file;
    beside += ".new";
    errno = 0;
    std::ofstream out{beside, std::ios::binary};
    out << text;
    out.close();
    if (!out) {
        return failed({errno, std::generic_category()});
    }
    std::filesystem::rename(beside, file, error);
    return error ? Result<void>{failed(error)} : Result<void>{};
}

std::optional<SavedCounters> load(const std::filesystem::path& folder)
{
    if (folder.empty()) {
        return std::nullopt;
    }
    std::ifstream in{file_in(folder), std::ios::binary};
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

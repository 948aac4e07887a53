#include "sonic/find_databases.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/sonic/databases.hpp"

namespace petrel::sonic {

namespace {

constexpr std::array<std::pair<std::string_view, Db>, 7> kNames{{{"APPL_DB", Db::appl},
                                                                 {"ASIC_DB", Db::asic},
                                                                 {"COUNTERS_DB", Db::counters},
                                                                 {"LOGLEVEL_DB", Db::loglevel},
                                                                 {"CONFIG_DB", Db::config},
                                                                 {"FLEX_COUNTER_DB", Db::flex_counter},
                                                                 {"STATE_DB", Db::state}}};

// None: the file does not exist. Refuses a FIFO, which would block.
Result<std::optional<std::string>> read_if_there(const std::filesystem::path& path)
{
    std::error_code unknown;
    const auto status = std::filesystem::status(path, unknown);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        return tl::unexpected(Error{
            ErrorKind::invalid, fmt::format("{} is no regular file: allowed a JSON file of SONiC's", path.string())});
    }
    std::ifstream file{path};
    return file ? std::optional{std::string{std::istreambuf_iterator<char>{file}, {}}} : std::nullopt;
}

}  // namespace

bool databases_are_here(const std::filesystem::path& config)
{
    const auto socket = redis::parse_address(kUsualSocket);
    std::error_code unknown;
    return std::filesystem::exists(config, unknown) || (socket && std::filesystem::exists(socket->path, unknown));
}

Result<std::vector<Asic>> find_asics(const std::filesystem::path& global)
{
    const auto text = read_if_there(global);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (!*text) {
        return std::vector<Asic>{};
    }
    const auto entries = to_result(codec::read_asics(**text, global.string()));
    if (!entries) {
        return tl::unexpected(entries.error());
    }
    std::vector<Asic> asics;
    for (const auto& [name, include] : *entries) {
        const auto config = (global.parent_path() / include).lexically_normal();
        std::error_code unknown;
        if (!std::filesystem::exists(config, unknown)) {
            return tl::unexpected(
                Error{ErrorKind::unreachable, fmt::format("the databases of {} are not known yet: {} names {}, which "
                                                          "is not there",
                                                          name, global.string(), config.string())});
        }
        auto databases = find_databases("", config);
        if (!databases) {
            return tl::unexpected(std::move(databases.error()));
        }
        asics.push_back({name, std::move(*databases)});
    }
    return asics;
}

Result<Databases> find_databases(std::string_view given, const std::filesystem::path& config)
{
    if (!given.empty()) {
        return redis::parse_address(given).map(at_one_address);
    }
    const auto text = read_if_there(config);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (!*text) {
        return redis::parse_address(kUsualSocket).map(at_one_address);
    }
    const auto entries = to_result(codec::read_database_config(**text, config.string()));
    if (!entries) {
        return tl::unexpected(entries.error());
    }
    Databases databases;
    for (const auto& [name, db] : kNames) {
        if (const auto at = entries->find(std::string{name}); at != entries->end()) {
            const auto& [socket, host, port, number] = at->second;
            databases[db] = {{socket, host, static_cast<std::uint16_t>(port)}, number};
        }
    }
    return databases;
}

}  // namespace petrel::sonic

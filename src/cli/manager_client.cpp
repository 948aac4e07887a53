#include "cli/manager_client.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <utility>

#include "base/complaint_text.hpp"
#include "cli/agent/fleet_command.hpp"
#include "codec/uplink_json.hpp"
#include "daemon/manager_endpoints.hpp"
#include "http_client/client.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::cli {
namespace {

constexpr auto kThisMachine = "http://127.0.0.1:7650";
constexpr auto kManagerPatience = std::chrono::seconds{10};
constexpr int kAnswered = 200;
constexpr int kNotAllowed = 401;
constexpr int kForbiddenAnswer = 403;

std::string flag_or_environment(const std::string& flag, const char* variable, const char* otherwise)
{
    const char* set = flag.empty() ? std::getenv(variable) : flag.c_str();
    return set != nullptr && *set != '\0' ? set : otherwise;
}

Result<std::string> token_of(const ManagerAccess& access)
{
    const auto file = flag_or_environment(access.token_file, "PETREL_TOKEN_FILE", "");
    return file.empty() ? Result<std::string>{std::string{}}
                        : runtime::read_regular_file(file).map([](const std::string& text) {
                              return text.substr(0, std::min(text.find_first_of("\r\n"), text.size()));
                          });
}

Result<std::string> answer_of_manager(const ManagerAccess& access, const std::string& path,
                                      std::optional<std::string> body)
{
    const auto manager = connect_to_manager(access);
    if (!manager) {
        return tl::unexpected(manager.error());
    }
    auto response = manager->client->send({.path = path,
                                           .body = std::move(body),
                                           .content_type = "application/json",
                                           .token = manager->token,
                                           .within = kManagerPatience});
    if (!response) {
        return tl::unexpected(no_manager(manager->url, response.error()));
    }
    if (response->status != kAnswered) {
        const bool denied = response->status == kNotAllowed || response->status == kForbiddenAnswer;
        const auto problem = codec::problem_text(response->body);
        return tl::unexpected(
            Error{denied ? ErrorKind::denied : ErrorKind::invalid,
                  fmt::format("the manager at {} answers with status {}{}", manager->url, response->status,
                              problem.empty() ? "" : fmt::format(" ({})", escaped(problem)))});
    }
    return std::move(response->body);
}

}  // namespace

void manager_access_flags(CLI::App& app, ManagerAccess& access)
{
    app.add_option(
           "--manager", access.url,
           "The fabric manager, or all of a group with commas; default: PETREL_MANAGER or http://127.0.0.1:7650")
        ->type_name("URL");
    app.add_option("--token-file", access.token_file, "A file with the token for it; default: PETREL_TOKEN_FILE")
        ->type_name("FILE");
    app.add_option("--ca-file", access.ca_file, "The certificates that it may have (PEM); default: the machine's")
        ->type_name("FILE");
}

Result<ManagerConnection> connect_to_manager(const ManagerAccess& access)
{
    auto text = flag_or_environment(access.url, "PETREL_MANAGER", kThisMachine);
    const auto endpoints = daemon::manager_endpoints(text, access.ca_file);
    if (!endpoints) {
        return tl::unexpected(endpoints.error());
    }
    return token_of(access).map([&](std::string token) {
        return ManagerConnection{std::move(text), http_client::make_client_of_several(*endpoints), std::move(token)};
    });
}

Result<std::string> get_from_manager(const ManagerAccess& access, const std::string& path)
{
    return answer_of_manager(access, path, std::nullopt);
}

Result<std::string> post_to_manager(const ManagerAccess& access, const std::string& path, std::string body)
{
    return answer_of_manager(access, path, std::move(body));
}

}  // namespace petrel::cli

#include "enrolment/enrolment.hpp"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

#include "certificates/certificates.hpp"
#include "codec/manager/enrolment_json.hpp"
#include "codec/uplink_json.hpp"
#include "config/manager_url.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::enrolment {

namespace {

constexpr Duration kPatience = std::chrono::seconds{10};
constexpr unsigned kPrivateFile = 0600;
constexpr int kGood = 200;
constexpr int kShareOfLife = 3;

Result<std::string> certificate_for(http_client::Client& client, const std::string& agent, const std::string& key,
                                    const std::string& token)
{
    return certificates::make_request(key, agent)
        .and_then([&](std::string request) {
            const auto path = fmt::format("/api/v1/agents/{}/certificate", config::percent_escaped(agent));
            return client.send({.path = path,
                                .body = std::move(request),
                                .content_type = "application/x-pem-file",
                                .token = token,
                                .within = kPatience});
        })
        .and_then([&](const http_client::Response& answer) -> Result<std::string> {
            if (answer.status == kGood) {
                return codec::read_certificate_answer(answer.body);
            }
            const auto problem = codec::problem_text(answer.body);
            return tl::unexpected(
                Error{ErrorKind::denied, fmt::format("the manager answers with status {}{}", answer.status,
                                                     problem.empty() ? "" : ": " + problem)});
        });
}

Result<void> write_private(const std::filesystem::path& file, const std::string& text)
{
    return runtime::write_atomically(file, text, kPrivateFile);
}

}  // namespace

Result<void> enrol(http_client::Client& client, const std::filesystem::path& file, const std::string& agent,
                   const std::string& token)
{
    auto pending = file;
    pending += ".key";
    std::error_code failed;
    auto key = std::filesystem::exists(pending, failed)
                   ? runtime::read_regular_file(pending)
                   : certificates::make_key().and_then([&](std::string made) {
                         return write_private(pending, made).map([&] { return std::move(made); });
                     });
    return key.and_then([&](const std::string& own) {
        return certificate_for(client, agent, own, token)
            .and_then([&](const std::string& issued) { return write_private(file, issued + own); })
            .map([&] { std::filesystem::remove(pending, failed); });
    });
}

Result<bool> renew(http_client::Client& client, const std::filesystem::path& file, const std::string& agent,
                   WallTime now)
{
    const auto identity =
        runtime::read_regular_file(file).and_then([](const std::string& text) { return certificates::identity(text); });
    if (!identity) {
        return tl::unexpected(
            Error{identity.error().kind, fmt::format("{}: {}", file.string(), identity.error().what)});
    }
    if (identity->until - now > (identity->until - identity->issued) / kShareOfLife) {
        return false;
    }
    return certificates::make_key().and_then([&](const std::string& key) {
        return certificate_for(client, agent, key, {})
            .and_then([&](const std::string& issued) { return write_private(file, issued + key); })
            .map([] { return true; });
    });
}

}  // namespace petrel::enrolment

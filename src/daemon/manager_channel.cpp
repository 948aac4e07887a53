#include "daemon/manager_channel.hpp"

#include <fmt/format.h>

#include <utility>

#include "config/manager_url.hpp"
#include "daemon/manager_endpoints.hpp"
#include "daemon/manager_token.hpp"

namespace petrel::daemon {
namespace {

// How often the agent checks whether its certificate has to be renewed.
constexpr Duration kRenewEvery = std::chrono::hours{1};
// For connecting, and for each wait for bytes.
constexpr Duration kPatience = std::chrono::seconds{10};

}  // namespace

Result<std::unique_ptr<HttpChannel>> HttpChannel::make(runner::Loop& loop, std::unique_ptr<runner::Worker> worker,
                                                       const ManagerAccess& access, const config::AgentConfig& config,
                                                       LogCall log)
{
    const auto endpoints =
        manager_endpoints(config.manager_url, config.manager_ca_file, config.manager_certificate_file);
    if (!endpoints) {
        return tl::unexpected(endpoints.error());
    }
    std::unique_ptr<HttpChannel> channel{
        new HttpChannel{loop, std::move(worker), access.clients(*endpoints), access.renew, config, std::move(log)}};
    channel->renew();
    return channel;
}

HttpChannel::HttpChannel(runner::Loop& loop, std::unique_ptr<runner::Worker> worker,
                         std::unique_ptr<http_client::Client> client, RenewCertificate renew,
                         const config::AgentConfig& config, LogCall log)
    : loop_(loop),
      client_(std::move(client)),
      renew_(std::move(renew)),
      config_(config),
      log_(std::move(log)),
      worker_(std::move(worker))
{}

HttpChannel::~HttpChannel()
{
    if (next_renewal_) {
        loop_.cancel(*next_renewal_);
    }
    client_->cancel();
}

void HttpChannel::send(std::string report, Then then)
{
    auto answer = [this, then = std::move(then), alive = std::weak_ptr{alive_}](runner::ManagerAnswer got) {
        loop_.post([then, alive, got = std::move(got)] {
            if (!alive.expired()) {
                then(got);
            }
        });
    };
    const bool added = worker_->add(runner::JobKind::other, [this, answer, report = std::move(report)]() mutable {
        answer(exchange(std::move(report)));
    });
    if (!added) {  // cannot happen while kMostJobs fits
        answer({0, {}, "the worker has no room", {}});
    }
}

// In the worker.
runner::ManagerAnswer HttpChannel::exchange(std::string report)
{
    auto token = manager_token(config_.manager_token_file);
    if (!token) {
        return {0, {}, token.error().what, {}};
    }
    auto response =
        client_->send({.path = fmt::format("/api/v1/agents/{}/reports", config::percent_escaped(config_.name)),
                       .body = std::move(report),
                       .content_type = "application/x-ndjson",
                       .token = std::move(*token),
                       .within = kPatience});
    return response ? runner::ManagerAnswer{response->status, std::move(response->body), {}, response->retry_after}
                    : runner::ManagerAnswer{0, {}, response.error().what, {}};
}

void HttpChannel::renew()
{
    if (!renew_ || config_.manager_certificate_file.empty()) {
        return;
    }
    next_renewal_ = loop_.at(loop_.now().mono + kRenewEvery, [this] { renew(); });
    renewing_ = renewing_ ||
                worker_->add(runner::JobKind::other, [this, now = loop_.now().wall, alive = std::weak_ptr{alive_}] {
                    auto result = renew_(*client_, config_.manager_certificate_file, config_.name, now);
                    loop_.post([this, alive, result = std::move(result)] {
                        if (!alive.expired()) {
                            renewed(result);
                        }
                    });
                });
}

void HttpChannel::renewed(const Result<bool>& result)
{
    renewing_ = false;
    if (!result) {
        log(runner::LogLevel::error, "certificate_not_renewed",
            result.error().what + "; the agent tries again in an hour");
    } else if (*result) {
        log(runner::LogLevel::notice, "certificate_renewed",
            fmt::format("{} has a new certificate", config_.manager_certificate_file.string()));
    }
}

void HttpChannel::log(runner::LogLevel level, std::string event, std::string message) const
{
    log_({level, std::move(event), {}, {}, std::move(message), {}});
}

}  // namespace petrel::daemon

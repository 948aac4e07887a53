// Sends reports to the manager by HTTP, and renews the agent's certificate. Requests are jobs of a worker, so that the
// loop does not wait for the network.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "http_client/client.hpp"
#include "runner/log_line.hpp"
#include "runner/loop.hpp"
#include "runner/manager_channel.hpp"
#include "runner/worker.hpp"

namespace petrel::daemon {

// Makes the client of a manager, or of a group of managers.
using ManagerClients = std::function<std::unique_ptr<http_client::Client>(const std::vector<http_client::Endpoint>&)>;

// Renews the agent's certificate in `file` if it is time. True: the file has a new one.
using RenewCertificate = std::function<Result<bool>(http_client::Client&, const std::filesystem::path& file,
                                                    const std::string& agent, WallTime now)>;

struct ManagerAccess {
    ManagerClients clients;
    RenewCertificate renew;  // empty: certificates are not renewed
};

class HttpChannel final : public runner::ManagerChannel {
public:
    using LogCall = std::function<void(const runner::LogLine&)>;

    static constexpr std::size_t kMostJobs = 2;  // a request and a renewal

    // Fails if a URL of the manager is wrong.
    static Result<std::unique_ptr<HttpChannel>> make(runner::Loop&, std::unique_ptr<runner::Worker>,
                                                     const ManagerAccess&, const config::AgentConfig&, LogCall);
    ~HttpChannel() override;

    void send(std::string report, Then) override;
    void cancel() override { client_->cancel(); }

private:
    HttpChannel(runner::Loop&, std::unique_ptr<runner::Worker>, std::unique_ptr<http_client::Client>, RenewCertificate,
                const config::AgentConfig&, LogCall);

    runner::ManagerAnswer exchange(std::string report);
    void renew();
    void renewed(const Result<bool>&);
    void log(runner::LogLevel, std::string event, std::string message) const;

    runner::Loop& loop_;
    std::unique_ptr<http_client::Client> client_;
    RenewCertificate renew_;
    config::AgentConfig config_;
    LogCall log_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    std::optional<runner::Loop::TimerId> next_renewal_;
    bool renewing_{};
    std::unique_ptr<runner::Worker> worker_;  // the last member: its jobs use all the others
};

}  // namespace petrel::daemon

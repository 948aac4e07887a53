// The HTTP listener for metrics: GET /metrics and /healthz only, in its own thread. Memory and idle time of each
// connection are bounded. When there are too many connections, each new one closes the oldest of the addresses that
// have the most, so that slow clients do not block a health check.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::daemon {

// What the service uses of the listener. The destructor waits for a request that is under way.
class MetricsListener {
public:
    virtual ~MetricsListener() = default;
    virtual std::uint16_t port() const = 0;
};

class MetricsServer final : public MetricsListener {
public:
    // Called in the server's thread. It may wait for the loop for a bounded time. None: the loop did not answer.
    using Text = std::function<std::optional<std::string>()>;

    // "127.0.0.1:9464", "[::1]:9464", "localhost:9464". The thread inherits the signal mask of the caller.
    static Result<std::unique_ptr<MetricsServer>> listen(std::string_view host_port, Text);

    ~MetricsServer() override;
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    std::uint16_t port() const override { return port_; }

private:
    struct Http;
    MetricsServer(std::unique_ptr<Http>, std::uint16_t port);

    std::unique_ptr<Http> http_;
    std::uint16_t port_{};
};

// "0.0.0.0:9464", "[::]:9464": clients on any network reach it.
bool open_to_all(std::string_view host_port);
std::string open_to_all_text(std::string_view host_port);  // the warning

}  // namespace petrel::daemon

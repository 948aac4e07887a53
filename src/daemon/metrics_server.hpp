// The HTTP listener for metrics: GET /metrics and /healthz only, in its own thread. Memory and idle time of each
// connection are bounded, and so is their number (http/visitors.hpp).
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

// The warning about a listener that clients on any network reach.
std::string open_to_all_text(std::string_view host_port);

}  // namespace petrel::daemon

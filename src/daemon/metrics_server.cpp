#include "daemon/metrics_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <microhttpd.h>

#include <exception>
#include <utility>

#include "http/listening_socket.hpp"
#include "http/visitors.hpp"
#include "runtime/cpu_ration.hpp"

namespace petrel::daemon {

namespace {

constexpr auto kPurpose = "metrics";
constexpr std::size_t kMostConnections = 64;
constexpr unsigned kMostSilence_s = 10;
constexpr std::size_t kMemoryPerConnection = std::size_t{16} * 1024;
constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* kPlainType = "text/plain; charset=utf-8";

struct HttpAnswer {
    unsigned status{};
    const char* type{kPlainType};
    std::string body;
};

HttpAnswer answer_to(std::string_view method, std::string_view path, const MetricsServer::Text& text)
{
    const bool metrics = path == "/metrics";
    if (!metrics && path != "/healthz") {
        return {.status = MHD_HTTP_NOT_FOUND, .body = "there are /metrics and /healthz\n"};
    }
    if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD) {
        return {.status = MHD_HTTP_METHOD_NOT_ALLOWED, .body = "GET only\n"};
    }
    auto now = text();
    if (!now) {
        return {.status = MHD_HTTP_SERVICE_UNAVAILABLE, .body = "the agent's loop does not answer\n"};
    }
    return metrics ? HttpAnswer{MHD_HTTP_OK, kMetricsType, std::move(*now)}
                   : HttpAnswer{MHD_HTTP_OK, kPlainType, "ok\n"};
}

MHD_Result send(MHD_Connection* connection, HttpAnswer answer)
{
    auto* response = MHD_create_response_from_buffer(answer.body.size(), answer.body.data(), MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) {
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.type);
    const auto queued = MHD_queue_response(connection, answer.status, response);
    MHD_destroy_response(response);
    return queued;
}

// Called by C code: must not throw.
void on_connection(void* visitors, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode what) noexcept
{
    auto& all = *static_cast<http::Visitors*>(visitors);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        all.arrived(connection);
    } else {
        all.left(connection);
    }
}

}  // namespace

struct MetricsServer::Http {
    explicit Http(Text given) : text(std::move(given)) {}
    ~Http()
    {
        if (daemon != nullptr) {
            MHD_stop_daemon(daemon);
        }
    }
    Http(const Http&) = delete;
    Http& operator=(const Http&) = delete;

    Text text;
    http::Visitors visitors{kMostConnections};
    runtime::CpuRation ration{runtime::clients_ration()};
    MHD_Daemon* daemon{};

    // Called by C code: must not throw.
    static MHD_Result on_request(void* http, MHD_Connection* connection, const char* path, const char* method,
                                 const char*, const char*, std::size_t*, void**) noexcept
    {
        auto& self = *static_cast<Http*>(http);
        self.ration.rest();
        try {
            return send(connection, answer_to(method, path, self.text));
        } catch (const std::exception&) {
            return MHD_NO;
        }
    }
};

Result<std::unique_ptr<MetricsServer>> MetricsServer::listen(std::string_view host_port, Text text)
{
    auto socket = http::listening_socket(kPurpose, host_port);
    if (!socket) {
        return tl::unexpected(std::move(socket.error()));
    }
    const auto port = http::port_of(*socket);
    auto made = std::make_unique<Http>(std::move(text));
    // The library closes the socket that it gets, so it gets a duplicate.
    made->daemon = MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD, 0, nullptr, nullptr, &Http::on_request, made.get(), MHD_OPTION_LISTEN_SOCKET,
        ::fcntl(socket->get(), F_DUPFD_CLOEXEC, 0), MHD_OPTION_CONNECTION_LIMIT, made->visitors.limit_of_library(),
        MHD_OPTION_CONNECTION_TIMEOUT, kMostSilence_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT, kMemoryPerConnection,
        MHD_OPTION_NOTIFY_CONNECTION, &on_connection, &made->visitors, MHD_OPTION_END);
    if (made->daemon == nullptr) {
        return tl::unexpected(http::listen_error(kPurpose, host_port, ErrorKind::exhausted, "no thread for it"));
    }
    return std::unique_ptr<MetricsServer>{new MetricsServer{std::move(made), port}};
}

std::string open_to_all_text(std::string_view host_port)
{
    return fmt::format("metrics.listen = \"{}\": every host that reaches this machine can read the metrics; listen at "
                       "127.0.0.1 or at the address of a management network",
                       host_port);
}

MetricsServer::MetricsServer(std::unique_ptr<Http> http, std::uint16_t port) : http_(std::move(http)), port_(port) {}

MetricsServer::~MetricsServer() = default;

}  // namespace petrel::daemon

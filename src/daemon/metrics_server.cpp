#include "daemon/metrics_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include "runtime/file_descriptor.hpp"

namespace petrel::daemon {

namespace {

constexpr int kBacklog = 64;
constexpr unsigned kMostConnections = 16;
constexpr unsigned kMostSilence_s = 10;
constexpr std::size_t kMemoryPerConnection = std::size_t{16} * 1024;
constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* kPlainType = "text/plain; charset=utf-8";

struct Address {
    std::string host;
    std::string port;
};

std::optional<Address> split(std::string_view host_port)
{
    const auto colon = host_port.rfind(':');
    if (colon == host_port.npos || colon == 0 || colon + 1 == host_port.size()) {
        return std::nullopt;
    }
    auto host = host_port.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != host.npos) {
        return std::nullopt;  // half of an IPv6 address
    }
    return Address{std::string{host}, std::string{host_port.substr(colon + 1)}};
}

Error listen_error(std::string_view host_port, ErrorKind kind, std::string_view why)
{
    return {kind, fmt::format("cannot listen for metrics at {}: {}", host_port, why)};
}

Error listen_error(std::string_view host_port, int error_number)
{
    const auto kind = error_number == EACCES ? ErrorKind::denied : ErrorKind::unreachable;
    return listen_error(host_port, kind, std::generic_category().message(error_number));
}

struct FreeAddresses {
    void operator()(addrinfo* found) const { ::freeaddrinfo(found); }
};

Result<runtime::FileDescriptor> listening_socket(std::string_view host_port)
{
    const auto address = split(host_port);
    if (!address) {
        return tl::unexpected(
            listen_error(host_port, ErrorKind::invalid, "allowed HOST:PORT, with an IPv6 address in brackets"));
    }
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const auto failed = ::getaddrinfo(address->host.c_str(), address->port.c_str(), &wanted, &found); failed != 0) {
        return tl::unexpected(listen_error(host_port, ErrorKind::invalid, ::gai_strerror(failed)));
    }
    const std::unique_ptr<addrinfo, FreeAddresses> first{found};
    runtime::FileDescriptor made{::socket(first->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const int yes = 1;
    if (made.get() < 0 || ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0 ||
        ::bind(made.get(), first->ai_addr, first->ai_addrlen) < 0 || ::listen(made.get(), kBacklog) < 0) {
        return tl::unexpected(listen_error(host_port, errno));
    }
    return made;
}

std::uint16_t port_of(const runtime::FileDescriptor& listening)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    char port[NI_MAXSERV]{};
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (::getsockname(listening.get(), raw, &size) < 0 ||
        ::getnameinfo(raw, size, nullptr, 0, port, sizeof port, NI_NUMERICSERV) != 0) {
        return 0;
    }
    return static_cast<std::uint16_t>(std::stoi(port));
}

struct Answer {
    unsigned status{};
    const char* type{kPlainType};
    std::string body;
};

Answer answer_to(std::string_view method, std::string_view path, const MetricsServer::Text& text)
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
    return metrics ? Answer{MHD_HTTP_OK, kMetricsType, std::move(*now)} : Answer{MHD_HTTP_OK, kPlainType, "ok\n"};
}

MHD_Result send(MHD_Connection* connection, Answer answer)
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

// Called by C: nothing may be thrown through it.
MHD_Result on_request(void* text, MHD_Connection* connection, const char* path, const char* method, const char*,
                      const char*, std::size_t*, void**) noexcept
{
    try {
        return send(connection, answer_to(method, path, *static_cast<const MetricsServer::Text*>(text)));
    } catch (const std::exception&) {
        return MHD_NO;
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
    MHD_Daemon* daemon{};
};

Result<std::unique_ptr<MetricsServer>> MetricsServer::listen(std::string_view host_port, Text text)
{
    auto socket = listening_socket(host_port);
    if (!socket) {
        return tl::unexpected(std::move(socket.error()));
    }
    const auto port = port_of(*socket);
    auto http = std::make_unique<Http>(std::move(text));
    // It closes the socket it is given in the end, so it gets one of its own.
    http->daemon =
        MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD, 0, nullptr, nullptr, &on_request, &http->text,
                         MHD_OPTION_LISTEN_SOCKET, ::fcntl(socket->get(), F_DUPFD_CLOEXEC, 0),
                         MHD_OPTION_CONNECTION_LIMIT, kMostConnections, MHD_OPTION_CONNECTION_TIMEOUT, kMostSilence_s,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, kMemoryPerConnection, MHD_OPTION_END);
    if (http->daemon == nullptr) {
        return tl::unexpected(listen_error(host_port, ErrorKind::exhausted, "no thread for it"));
    }
    return std::unique_ptr<MetricsServer>{new MetricsServer{std::move(http), port}};
}

MetricsServer::MetricsServer(std::unique_ptr<Http> http, std::uint16_t port) : http_(std::move(http)), port_(port) {}

MetricsServer::~MetricsServer() = default;

}  // namespace petrel::daemon

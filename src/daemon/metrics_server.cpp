#include "daemon/metrics_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <list>
#include <map>
#include <netinet/in.h>
#include <ranges>
#include <system_error>
#include <utility>

#include "runtime/cpu_ration.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::daemon {

namespace {

constexpr int kBacklog = 64;
// When this many connections are open, each new one closes an old one. The library's own limit is higher and never
// reached, because at that limit the library refuses new clients.
constexpr std::size_t kMostConnections = 64;
constexpr unsigned kLimitOfLibrary = 2 * kMostConnections;
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

}  // namespace

// The connections in the order of their arrival. Only the listener's thread uses it.
class HttpVisitors {
public:
    void arrived(MHD_Connection* connection)
    {
        if (visitors_.size() - leaving_ >= kMostConnections) {
            send_away(oldest_of_largest_crowd());
        }
        visitors_.push_back({connection, address_of(connection)});
    }

    void left(const MHD_Connection* connection)
    {
        const auto visitor = std::ranges::find(visitors_, connection, &Visitor::connection);
        if (visitor != visitors_.end()) {
            leaving_ -= visitor->leaving ? 1U : 0U;
            visitors_.erase(visitor);
        }
    }

private:
    struct Visitor {
        MHD_Connection* connection{};
        std::string address;  // without the port
        bool leaving{};
    };

    static std::string address_of(MHD_Connection* connection)
    {
        const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
        char host[NI_MAXHOST]{};
        const auto* address = info == nullptr ? nullptr : info->client_addr;
        const auto size =
            address != nullptr && address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
        const bool known = address != nullptr && ::getnameinfo(address, static_cast<socklen_t>(size), host, sizeof host,
                                                               nullptr, 0, NI_NUMERICHOST) == 0;
        return known ? host : "";
    }

    // The oldest connection of the addresses with the most connections, so that one host cannot displace the others.
    Visitor& oldest_of_largest_crowd()
    {
        std::map<std::string_view, std::size_t> crowds;
        for (const auto& visitor : visitors_) {
            crowds[visitor.address] += visitor.leaving ? 0U : 1U;
        }
        const auto most = std::ranges::max(crowds | std::views::values);
        return *std::ranges::find_if(
            visitors_, [&](const Visitor& visitor) { return !visitor.leaving && crowds[visitor.address] == most; });
    }

    // The library closes a connection after its socket was shut down.
    void send_away(Visitor& visitor)
    {
        const auto* info = MHD_get_connection_info(visitor.connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (info != nullptr) {
            ::shutdown(info->connect_fd, SHUT_RDWR);
            visitor.leaving = true;
            ++leaving_;
        }
    }

    std::list<Visitor> visitors_;
    std::size_t leaving_{};
};

namespace {

// Called by C code: must not throw.
void on_connection(void* visitors, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode what) noexcept
{
    auto& all = *static_cast<HttpVisitors*>(visitors);
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
    HttpVisitors visitors;
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
    auto socket = listening_socket(host_port);
    if (!socket) {
        return tl::unexpected(std::move(socket.error()));
    }
    const auto port = port_of(*socket);
    auto http = std::make_unique<Http>(std::move(text));
    // The library closes the socket that it gets, so it gets a duplicate.
    http->daemon = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD, 0, nullptr, nullptr, &Http::on_request, http.get(),
                                    MHD_OPTION_LISTEN_SOCKET, ::fcntl(socket->get(), F_DUPFD_CLOEXEC, 0),
                                    MHD_OPTION_CONNECTION_LIMIT, kLimitOfLibrary, MHD_OPTION_CONNECTION_TIMEOUT,
                                    kMostSilence_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT, kMemoryPerConnection,
                                    MHD_OPTION_NOTIFY_CONNECTION, &on_connection, &http->visitors, MHD_OPTION_END);
    if (http->daemon == nullptr) {
        return tl::unexpected(listen_error(host_port, ErrorKind::exhausted, "no thread for it"));
    }
    return std::unique_ptr<MetricsServer>{new MetricsServer{std::move(http), port}};
}

bool open_to_all(std::string_view host_port)
{
    const auto address = split(host_port);
    if (!address) {
        return false;
    }
    addrinfo wanted{};
    wanted.ai_flags = AI_NUMERICHOST;
    addrinfo* found = nullptr;
    if (::getaddrinfo(address->host.c_str(), nullptr, &wanted, &found) != 0) {
        return false;
    }
    const std::unique_ptr<addrinfo, FreeAddresses> first{found};
    if (first->ai_family == AF_INET) {
        return reinterpret_cast<const sockaddr_in*>(first->ai_addr)->sin_addr.s_addr == INADDR_ANY;
    }
    const auto& v6 = reinterpret_cast<const sockaddr_in6*>(first->ai_addr)->sin6_addr;
    in6_addr mapped_any{};
    mapped_any.s6_addr[10] = mapped_any.s6_addr[11] = 0xff;
    return IN6_IS_ADDR_UNSPECIFIED(&v6) || IN6_ARE_ADDR_EQUAL(&v6, &mapped_any);
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

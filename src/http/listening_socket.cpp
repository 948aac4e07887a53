#include "http/listening_socket.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <system_error>

namespace petrel::http {

namespace {

constexpr int kBacklog = 64;

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

struct FreeAddresses {
    void operator()(addrinfo* found) const { ::freeaddrinfo(found); }
};

}  // namespace

Error listen_error(std::string_view purpose, std::string_view host_port, ErrorKind kind, std::string_view why)
{
    return {kind, fmt::format("cannot listen for {} at {}: {}", purpose, host_port, why)};
}

namespace {

Result<runtime::FileDescriptor> bound_socket(std::string_view purpose, std::string_view host_port, int type)
{
    const auto refused = [&](ErrorKind kind, std::string_view why) {
        return tl::unexpected(listen_error(purpose, host_port, kind, why));
    };
    const auto address = split(host_port);
    if (!address) {
        return refused(ErrorKind::invalid, "allowed HOST:PORT, with an IPv6 address in brackets");
    }
    addrinfo wanted{};
    wanted.ai_socktype = type;
    wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const auto failed = ::getaddrinfo(address->host.c_str(), address->port.c_str(), &wanted, &found); failed != 0) {
        return refused(ErrorKind::invalid, ::gai_strerror(failed));
    }
    const std::unique_ptr<addrinfo, FreeAddresses> first{found};
    runtime::FileDescriptor made{::socket(first->ai_family, type | SOCK_CLOEXEC, 0)};
    const bool stream = type == SOCK_STREAM;
    const int yes = 1;
    if (made.get() < 0 || (stream && ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0) ||
        ::bind(made.get(), first->ai_addr, first->ai_addrlen) < 0 || (stream && ::listen(made.get(), kBacklog) < 0)) {
        const int why = errno;
        return refused(why == EACCES ? ErrorKind::denied : ErrorKind::unreachable,
                       std::generic_category().message(why));
    }
    return made;
}

}  // namespace

Result<runtime::FileDescriptor> listening_socket(std::string_view purpose, std::string_view host_port)
{
    return bound_socket(purpose, host_port, SOCK_STREAM);
}

Result<runtime::FileDescriptor> datagram_socket(std::string_view purpose, std::string_view host_port)
{
    return bound_socket(purpose, host_port, SOCK_DGRAM);
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

bool loopback_only(const runtime::FileDescriptor& listening)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &size) < 0) {
        return false;
    }
    if (address.ss_family == AF_INET) {
        constexpr std::uint32_t kLoopbackNet = 127;
        return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24 == kLoopbackNet;
    }
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    return address.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace petrel::http

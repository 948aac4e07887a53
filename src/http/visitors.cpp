#include "http/visitors.hpp"

#include <microhttpd.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <map>
#include <netinet/in.h>
#include <ranges>
#include <string_view>

namespace petrel::http {

void Visitors::arrived(MHD_Connection* connection)
{
    if (visitors_.size() - leaving_ >= most_) {
        send_away(oldest_of_largest_crowd());
    }
    visitors_.push_back({connection, address_of(connection)});
}

void Visitors::left(const MHD_Connection* connection)
{
    const auto visitor = std::ranges::find(visitors_, connection, &Visitor::connection);
    if (visitor != visitors_.end()) {
        leaving_ -= visitor->leaving ? 1U : 0U;
        visitors_.erase(visitor);
    }
}

Visitors::Visitor& Visitors::oldest_of_largest_crowd()
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
void Visitors::send_away(Visitor& visitor)
{
    const auto* info = MHD_get_connection_info(visitor.connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info != nullptr) {
        ::shutdown(info->connect_fd, SHUT_RDWR);
        visitor.leaving = true;
        ++leaving_;
    }
}

std::string address_of(MHD_Connection* connection)
{
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    char host[NI_MAXHOST]{};
    const auto* address = info == nullptr ? nullptr : info->client_addr;
    const auto size = address != nullptr && address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    const bool known = address != nullptr && ::getnameinfo(address, static_cast<socklen_t>(size), host, sizeof host,
                                                           nullptr, 0, NI_NUMERICHOST) == 0;
    return known ? host : "";
}

}  // namespace petrel::http

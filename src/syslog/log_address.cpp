#include "syslog/log_address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/complaint_text.hpp"

namespace petrel::syslog {
namespace {

constexpr std::array kTransports{Transport::udp, Transport::tcp, Transport::unix_socket};
constexpr unsigned kV4Bits = 32;
constexpr unsigned kV6Bits = 128;

}  // namespace

std::string_view name(Transport transport)
{
    return transport == Transport::udp ? "udp" : transport == Transport::tcp ? "tcp" : "unix";
}

Result<LogAddress> parse_log_address(std::string_view text)
{
    for (const auto transport : kTransports) {
        const auto front = fmt::format("{}:", name(transport));
        if (text.starts_with(front) && text.size() > front.size()) {
            return LogAddress{transport, std::string{text.substr(front.size())}};
        }
    }
    return tl::unexpected(
        Error{ErrorKind::invalid,
              fmt::format("--syslog: '{}': allowed udp:HOST:PORT, tcp:HOST:PORT or unix:PATH", excerpt(text))});
}

bool Network::contains(const IpAddress& other) const
{
    for (unsigned bit = 0; bit < bits; ++bit) {
        const auto mask = 0x80U >> (bit % 8);
        if (((address[bit / 8] ^ other[bit / 8]) & mask) != 0) {
            return false;
        }
    }
    return true;
}

Result<Network> parse_network(std::string_view text)
{
    const auto slash = std::min(text.find('/'), text.size());
    const std::string address{text.substr(0, slash)};
    Network network;
    const bool v4 = address.find(':') == std::string::npos;
    network.address[10] = network.address[11] = v4 ? 0xff : 0;
    const int read = v4 ? ::inet_pton(AF_INET, address.c_str(), &network.address[12])
                        : ::inet_pton(AF_INET6, address.c_str(), network.address.data());
    const auto most = v4 ? kV4Bits : kV6Bits;
    unsigned bits = most;
    bool good = read == 1;
    if (slash != text.size()) {
        const auto number = text.substr(slash + 1);
        const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), bits);
        good = good && error == std::errc{} && stop == number.data() + number.size() && bits <= most;
    }
    if (!good) {
        return tl::unexpected(
            Error{ErrorKind::invalid,
                  fmt::format("--syslog-from: '{}': allowed an address, or a network as 10.1.0.0/16", excerpt(text))});
    }
    network.bits = bits + (kV6Bits - most);
    return network;
}

}  // namespace petrel::syslog

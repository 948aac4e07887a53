#include "redis/address.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sys/un.h>

#include "base/complaint_text.hpp"

namespace petrel::redis {

namespace {

constexpr std::string_view kUnix = "unix://";
constexpr std::string_view kTcp = "tcp://";
constexpr auto kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

}  // namespace

Result<Address> parse_address(std::string_view text)
{
    const auto wrong = [&](std::string_view allowed) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("address of Redis '{}': {}", escaped(text), allowed)});
    };
    if (text.starts_with(kUnix)) {
        const auto path = text.substr(kUnix.size());
        if (!path.starts_with('/') || path.size() > kLongestPath) {
            return wrong(fmt::format("unix:// is followed by an absolute path of at most {} bytes", kLongestPath));
        }
        return Address{std::string{path}, {}, 0};
    }
    if (!text.starts_with(kTcp)) {
        return wrong("unix:///path or tcp://host:port");
    }
    const auto rest = text.substr(kTcp.size());
    const auto colon = rest.rfind(':');
    if (colon == std::string_view::npos) {
        return wrong("tcp://host:port");
    }
    auto host = rest.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    const auto number = rest.substr(colon + 1);
    std::uint16_t port = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), port);
    if (host.empty() || problem != std::errc{} || end != number.data() + number.size() || port == 0) {
        return wrong("tcp://host:port, with a port of 1..65535");
    }
    return Address{{}, std::string{host}, port};
}

std::string to_text(const Address& address)
{
    if (!address.path.empty()) {
        return fmt::format("{}{}", kUnix, address.path);
    }
    const bool v6 = address.host.find(':') != std::string::npos;
    return fmt::format(fmt::runtime(v6 ? "{}[{}]:{}" : "{}{}:{}"), kTcp, address.host, address.port);
}

}  // namespace petrel::redis

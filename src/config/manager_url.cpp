#include "config/manager_url.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace petrel::config {
namespace {

constexpr std::uint16_t kUsualPort = 7650;
constexpr std::size_t kLongestHost = 253;

bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '_';
}

std::optional<std::uint16_t> port_number(std::string_view text)
{
    std::uint16_t number{};
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end && number != 0 ? std::optional{number} : std::nullopt;
}

bool is_host_name(std::string_view host)
{
    return !host.empty() && host.size() <= kLongestHost && std::ranges::all_of(host, is_plain);
}

bool is_v6(const std::string& host)
{
    in6_addr address{};
    return ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_this_machine(const std::string& host)
{
    in_addr v4{};
    in6_addr v6{};
    return host == "localhost" || (::inet_pton(AF_INET, host.c_str(), &v4) == 1 && ntohl(v4.s_addr) >> 24U == 127) ||
           (::inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6));
}

// What is between the commas.
std::vector<std::string_view> parts(std::string_view urls)
{
    std::vector<std::string_view> all;
    for (;;) {
        const auto comma = urls.find(',');
        all.push_back(urls.substr(0, comma));
        if (comma == urls.npos) {
            return all;
        }
        urls.remove_prefix(comma + 1);
    }
}

}  // namespace

Result<ManagerUrl> parse_manager_url(std::string_view text)
{
    const auto refuse = [&](std::string_view why) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("'{}': {}; allowed: {}", text, why, kManagerUrlForms)});
    };
    ManagerUrl url;
    auto rest = text;
    if (rest.starts_with("https://")) {
        url.tls = true;
        rest.remove_prefix(8);
    } else if (rest.starts_with("http://")) {
        rest.remove_prefix(7);
    } else {
        return refuse("it has no https:// in front");
    }
    if (rest.ends_with('/')) {
        rest.remove_suffix(1);
    }
    const auto bracket = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
    const auto host_end = bracket != std::string_view::npos ? bracket + 1 : std::min(rest.find(':'), rest.size());
    url.host = bracket != std::string_view::npos ? rest.substr(1, bracket - 1) : rest.substr(0, host_end);
    rest.remove_prefix(host_end);
    url.port = kUsualPort;
    if (!rest.empty()) {
        const auto port = rest.starts_with(':') ? port_number(rest.substr(1)) : std::nullopt;
        if (!port) {
            return refuse("after the host only a port 1..65535 may follow");
        }
        url.port = *port;
    }
    if (bracket != std::string_view::npos ? !is_v6(url.host) : !is_host_name(url.host)) {
        return refuse("its host is neither a name nor an address");
    }
    if (!url.tls && !is_this_machine(url.host)) {
        return refuse("http:// is for this machine only, another one needs https://");
    }
    return url;
}

Result<std::vector<ManagerUrl>> parse_manager_urls(std::string_view text)
{
    std::vector<ManagerUrl> all;
    for (const auto one : parts(text)) {
        const auto url = parse_manager_url(one);
        if (!url) {
            return tl::unexpected(url.error());
        }
        all.push_back(*url);
    }
    return all;
}

bool name_same_managers(std::string_view urls, std::string_view other_urls)
{
    const auto others = parts(other_urls);
    return std::ranges::any_of(parts(urls), [&](auto one) { return std::ranges::find(others, one) != others.end(); });
}

std::string percent_escaped(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        escaped += is_plain(c) ? std::string{c} : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return escaped;
}

}  // namespace petrel::config

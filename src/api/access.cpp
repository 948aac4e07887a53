#include "api/access.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "api/answers.hpp"

namespace petrel::api {

namespace {

constexpr std::array<std::string_view, 3> kThisMachine{"localhost", "127.0.0.1", "[::1]"};

// "localhost:7650", without the port.
std::string_view host_of(std::string_view host_port)
{
    const auto bracket = host_port.rfind(']');
    const auto colon = host_port.rfind(':');
    return colon != host_port.npos && (bracket == host_port.npos || colon > bracket) ? host_port.substr(0, colon)
                                                                                     : host_port;
}

bool names_this_machine(std::string_view host_port)
{
    return std::find(kThisMachine.begin(), kThisMachine.end(), host_of(host_port)) != kThisMachine.end();
}

// In a time that does not depend on where the texts differ.
bool same_secret(std::string_view a, std::string_view b)
{
    unsigned different = a.size() == b.size() ? 0U : 1U;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        different |= a[i] == b[i] ? 0U : 1U;
    }
    return different == 0;
}

bool may(Role has, Role needs) { return has == needs || (has == Role::operator_ && needs == Role::read); }

std::string_view name(Role role)
{
    return role == Role::read ? "read" : role == Role::agent ? "agent" : role == Role::operator_ ? "operator" : "none";
}

}  // namespace

std::optional<http::Answer> Access::refusal(const http::Request& request, Role needed) const
{
    if (tokens_.empty()) {
        if (const auto host = request.header("host"); !host.empty() && !names_this_machine(host)) {
            return problem(kForbidden, "Host names another machine: allowed localhost, 127.0.0.1 or [::1]");
        }
        const auto origin = request.header("origin");
        const auto scheme = origin.find("://");
        if (!origin.empty() &&
            (scheme == origin.npos || !names_this_machine(std::string_view{origin}.substr(scheme + 3)))) {
            return problem(kForbidden, "Origin is a page of another site");
        }
        return std::nullopt;
    }
    if (needed == Role::none) {
        return std::nullopt;
    }
    const auto* token = token_of(request);
    if (token == nullptr) {
        return problem(kUnauthorized, "needs 'Authorization: Bearer TOKEN' with a token of this manager");
    }
    if (!may(token->role, needed)) {
        return problem(kForbidden, std::string{"the token has the role "} + std::string{name(token->role)} +
                                       ": needed " + std::string{name(needed)});
    }
    return std::nullopt;
}

std::string Access::who(const http::Request& request) const
{
    const auto* token = token_of(request);
    return token == nullptr ? request.client : token->name;
}

const Token* Access::token_of(const http::Request& request) const
{
    constexpr std::string_view kScheme = "Bearer ";
    const auto given = request.header("authorization");
    if (!given.starts_with(kScheme)) {
        return nullptr;
    }
    const Token* found = nullptr;
    for (const auto& token : tokens_) {
        if (same_secret(token.secret, std::string_view{given}.substr(kScheme.size()))) {
            found = &token;
        }
    }
    return found;
}

}  // namespace petrel::api

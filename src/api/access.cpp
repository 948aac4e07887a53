#include "api/access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "api/answers.hpp"
#include "base/complaint_text.hpp"

namespace petrel::api {

namespace {

constexpr std::string_view kScheme = "Bearer ";
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

std::optional<http::Answer> Access::browser_refusal(const http::Request& request) const
{
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

std::optional<http::Answer> Access::refusal(const http::Request& request, Role needed, std::string_view agent,
                                            WallTime now) const
{
    if (tokens_.empty() && issuer_.empty()) {
        return browser_refusal(request);
    }
    if (needed == Role::none) {
        return std::nullopt;
    }
    if (const auto* token = token_of(request)) {
        return may(token->role, needed)
                   ? std::nullopt
                   : std::optional{problem(kForbidden, fmt::format("the token has the role {}: needed {}",
                                                                   name(token->role), name(needed)))};
    }
    const auto shown = agent_shown(request, now);
    if (shown.empty()) {
        return problem(kUnauthorized,
                       fmt::format("needs 'Authorization: Bearer TOKEN' with a token of this manager{}",
                                   issuer_.empty() ? "" : ", or a certificate of this manager that is valid"));
    }
    if (needed != Role::agent || shown != agent) {
        return problem(
            kForbidden,
            fmt::format("the certificate is for the agent '{}': it may only report as that agent", excerpt(shown)));
    }
    return std::nullopt;
}

std::string Access::who(const http::Request& request, WallTime now) const
{
    if (const auto* token = token_of(request)) {
        return token->name;
    }
    const auto shown = agent_shown(request, now);
    return shown.empty() ? request.client : shown;
}

std::string Access::agent_shown(const http::Request& request, WallTime now) const
{
    constexpr std::size_t kMostVerified = 8192;
    if (issuer_.empty() || request.certificate.empty()) {
        return {};
    }
    const std::lock_guard lock{mutex_};
    auto known = verified_.find(request.certificate);
    if (known == verified_.end() || now >= known->second.until) {
        auto identity = certificates::verify(issuer_, request.certificate, now);
        if (!identity) {
            return {};
        }
        if (verified_.size() >= kMostVerified) {
            verified_.clear();
        }
        known = verified_.insert_or_assign(request.certificate, std::move(*identity)).first;
    }
    const auto revoked = revoked_.find(known->second.name);
    const bool valid = revoked == revoked_.end() || known->second.issued > revoked->second;
    return valid ? known->second.name : std::string{};
}

void Access::revoke(const std::string& agent, WallTime at)
{
    const std::lock_guard lock{mutex_};
    revoked_[agent] = at;
}

std::string bearer(const http::Request& request)
{
    const auto given = request.header("authorization");
    return given.starts_with(kScheme) ? given.substr(kScheme.size()) : std::string{};
}

const Token* Access::token_of(const http::Request& request) const
{
    const auto given = bearer(request);
    const Token* found = nullptr;
    for (const auto& token : tokens_) {
        if (same_secret(token.secret, given)) {
            found = &token;
        }
    }
    return found;
}

}  // namespace petrel::api

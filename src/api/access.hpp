// Who may use the API. Without tokens and certificates, every process on this machine may do everything, but no page in
// a browser may: Host must name this machine, and Origin, if there is one, too. Otherwise a request needs a token with
// the right role, or an agent's certificate, with which it may do what is the agent's own.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "certificates/certificates.hpp"
#include "config/manager_token.hpp"
#include "http/exchange.hpp"

namespace petrel::api {

using config::Role;
using config::Token;

// Any thread may call it.
class Access {
public:
    // `issuer`: of the certificates of agents, PEM; empty: there are none.
    Access(std::vector<Token> tokens, std::string issuer) : tokens_(std::move(tokens)), issuer_(std::move(issuer)) {}

    // None: the request is allowed. `agent`: whose data it changes; empty: of none.
    std::optional<http::Answer> refusal(const http::Request&, Role needed, std::string_view agent, WallTime now) const;

    // The name of the client's token or of its certificate, or its address.
    std::string who(const http::Request&, WallTime now) const;

    // The name in the certificate that the client has shown, if it is valid; empty: there is none.
    std::string agent_shown(const http::Request&, WallTime now) const;

    // Certificates of the agent that were issued no later than that are not valid any more.
    void revoke(const std::string& agent, WallTime at);

private:
    std::optional<http::Answer> browser_refusal(const http::Request&) const;
    const Token* token_of(const http::Request&) const;

    std::vector<Token> tokens_;
    std::string issuer_;
    mutable std::mutex mutex_;  // guards the others
    // By the certificate itself: its signature is verified once.
    mutable std::map<std::string, certificates::Identity, std::less<>> verified_;
    std::map<std::string, WallTime> revoked_;  // by agent
};

// The bearer token of a request; empty: it has none.
std::string bearer(const http::Request&);

}  // namespace petrel::api

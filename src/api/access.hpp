// Who may use the API. Without tokens, every process on this machine may do everything, but no page in a browser may:
// Host must name this machine, and Origin, if there is one, too. With tokens, a request needs one with the right role.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/manager_token.hpp"
#include "http/exchange.hpp"

namespace petrel::api {

using config::Role;
using config::Token;

class Access {
public:
    explicit Access(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    // None: the request is allowed.
    std::optional<http::Answer> refusal(const http::Request&, Role needed) const;

    // The name of the client's token, or its address.
    std::string who(const http::Request&) const;

private:
    const Token* token_of(const http::Request&) const;

    std::vector<Token> tokens_;
};

}  // namespace petrel::api

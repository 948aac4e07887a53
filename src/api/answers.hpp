// Answers that several routes have in common.
#pragma once

#include <string>
#include <string_view>

#include "http/exchange.hpp"

namespace petrel::api {

inline constexpr auto kJson = "application/json";
inline constexpr auto kReports = "application/x-ndjson";
inline constexpr auto kProblem = "application/problem+json";
inline constexpr auto kPem = "application/x-pem-file";
inline constexpr auto kPlain = "text/plain; charset=utf-8";

enum Status : unsigned {
    kOk = 200,
    kBadRequest = 400,
    kUnauthorized = 401,
    kForbidden = 403,
    kNotFound = 404,
    kMethodNotAllowed = 405,
    kConflict = 409,
    kTooLarge = 413,
    kUnsupportedType = 415,
    kUnavailable = 503,
};

// A problem of RFC 9457. One that ends by itself has Retry-After.
http::Answer problem(unsigned status, std::string_view detail);

http::Answer json(std::string body);

}  // namespace petrel::api

// The paths of the manager's API, and the answers that show its view. One table lists them all.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/answers.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "config/manager_token.hpp"
#include "http/exchange.hpp"
#include "manager/manager.hpp"

namespace petrel::api {

using config::Role;

inline constexpr std::string_view kInvitation = "/api/v1/agents/{agent}/invitation";
inline constexpr std::string_view kCertificate = "/api/v1/agents/{agent}/certificate";
inline constexpr std::string_view kRevocation = "/api/v1/agents/{agent}/revocation";

inline constexpr std::string_view kBackup = "/api/v1/backup";

struct Route {
    std::string_view method;
    std::string_view path;  // with {name} for a part that varies
    Role role{};            // none: open to all
    std::span<const std::string_view> query{};
    // Null: the service answers it.
    Result<std::string> (*show)(const manager::Manager&, const http::Request&, Now){};
    std::string_view type{kJson};  // of the body of a POST
    bool of_leader{};              // a GET: of several managers, only the leader knows the answer
};

std::span<const Route> routes();

struct Found {
    const Route* route{};   // null: no such path, or another method
    std::string part;       // the part of the path that varies
    std::string methods{};  // that the path has; empty: no such path
};
Found find_route(std::string_view method, std::string_view path);

// The page of /api/v1/events that a request asks for.
Result<manager::EventQuery> event_query(const http::Request&);

// An event with its neighbour, as far as it is known now.
std::string shown_event(const manager::Manager&, const manager::StoredEvent&);

}  // namespace petrel::api

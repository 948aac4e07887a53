// Requests of commands to a fabric manager.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "http_client/client.hpp"

namespace CLI {
class App;
}

namespace petrel::cli {

struct ManagerAccess {
    std::string url;         // empty: PETREL_MANAGER, else the manager of this machine
    std::string token_file;  // empty: PETREL_TOKEN_FILE, else no token
    std::string ca_file;     // empty: the certificates of the machine
};

void manager_access_flags(CLI::App&, ManagerAccess&);

// The content of GET `path`. Errors name the manager; a refusal has the manager's own sentence.
Result<std::string> get_from_manager(const ManagerAccess&, const std::string& path);
// The answer to POST `path`, whose body is JSON.
Result<std::string> post_to_manager(const ManagerAccess&, const std::string& path, std::string body);

// For other requests.
struct ManagerConnection {
    std::string url;
    std::unique_ptr<http_client::Client> client;
    std::string token;
};
Result<ManagerConnection> connect_to_manager(const ManagerAccess&);

}  // namespace petrel::cli

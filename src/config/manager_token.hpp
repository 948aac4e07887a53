// Who may use the manager's API.
#pragma once

#include <cstdint>
#include <string>

namespace petrel::config {

// What a client may do. An operator may read, too; an agent may only report.
enum class Role : std::uint8_t { none, read, agent, operator_ };

struct Token {
    std::string name;  // for the audit
    Role role{};
    std::string secret;
};

}  // namespace petrel::config

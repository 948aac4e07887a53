// `petrel enrol`: an agent gets a certificate of its manager. `petrel invite`: an operator allows it to, or no longer.
#pragma once

#include <cstdint>
#include <string>

#include "cli/manager_client.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct EnrolOptions {
    ManagerAccess manager;
    std::string name;  // of the agent; empty: the host name
    std::string file{"/var/lib/petrel/manager.pem"};
};

struct InviteOptions {
    ManagerAccess manager;
    std::string agent;
    std::uint32_t hours{24};
    bool revoke{};
};

ExitCode run_enrol(const EnrolOptions&);
ExitCode run_invite(const InviteOptions&);

}  // namespace petrel::cli

// `petrel manager`: the fabric manager, until it is stopped.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/store.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct ManagerOptions {
    std::string listen{"127.0.0.1:7650"};
    std::string store{"/var/lib/petrel/manager.db"};
    std::string cables;  // a file; empty: none. As the next six
    std::string twin;    // a scenario whose fabric has the cables
    std::string fleet;
    std::string tls_certificate;
    std::string tls_key;
    std::string tokens;
    std::string ca;  // a folder
    manager::Retention retention{};
    std::string nats;  // servers with commas; empty: this manager is alone. The next five are for a group
    std::string nats_credentials;
    std::string nats_ca;
    unsigned nats_replicas{3};
    unsigned log_gib{4};
    std::string url;                       // empty: the address of `listen`
    std::vector<std::string> syslog;       // addresses of log lines
    std::vector<std::string> syslog_from;  // networks
};

// `reached`: for tests that kill the process. Empty: none.
ExitCode run_manager(const ManagerOptions&, const std::function<void(std::string_view point)>& reached = {});

}  // namespace petrel::cli

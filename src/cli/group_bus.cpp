#include "cli/group_bus.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/complaint_text.hpp"
#include "codec/group/log_entry.hpp"
#include "config/manager_url.hpp"

#ifdef PETREL_NATS
#include "bus/nats/nats_bus.hpp"
#endif

namespace petrel::cli {

#ifdef PETREL_NATS

namespace {

// As URLs of managers: without TLS a server must be on this machine.
Result<std::vector<std::string>> nats_servers(const ManagerOptions& options)
{
    std::vector<std::string> servers;
    for (std::size_t begin = 0; begin <= options.nats.size();) {
        const auto end = std::min(options.nats.find(',', begin), options.nats.size());
        auto server = options.nats.substr(begin, end - begin);
        const bool tls = server.starts_with("tls://") || !options.nats_ca.empty();
        const auto slashes = server.find("://");
        const auto host = slashes == server.npos ? std::string{} : server.substr(slashes);
        if ((!server.starts_with("nats://") && !server.starts_with("tls://")) ||
            !config::parse_manager_url((tls ? "https" : "http") + host)) {
            return tl::unexpected(Error{
                ErrorKind::invalid,
                fmt::format("--nats: '{}': allowed nats://HOST:PORT for this machine, others with --nats-ca or as "
                            "tls://HOST:PORT; the password is in --nats-credentials",
                            excerpt(server))});
        }
        servers.push_back(std::move(server));
        begin = end + 1;
    }
    return servers;
}

}  // namespace

Result<std::shared_ptr<bus::Bus>> group_bus(const ManagerOptions& options)
{
    return nats_servers(options).and_then([&](std::vector<std::string> servers) {
        return bus::connect_to_nats({.servers = std::move(servers),
                                     .credentials_file = options.nats_credentials,
                                     .ca_file = options.nats_ca,
                                     .replicas = options.nats_replicas,
                                     .log_bytes = std::int64_t{options.log_gib} << 30U,
                                     .largest_entry = codec::kMostEntryBytes})
            .map([](std::unique_ptr<bus::Bus> bus) { return std::shared_ptr<bus::Bus>{std::move(bus)}; });
    });
}

#else

Result<std::shared_ptr<bus::Bus>> group_bus(const ManagerOptions&)
{
    return tl::unexpected(Error{ErrorKind::unsupported,
                                "--nats: this program was built without NATS (libnats-dev); a manager can be alone"});
}

#endif

}  // namespace petrel::cli

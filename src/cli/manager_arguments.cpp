// The flags of `petrel manager` and of `petrel ports`, which asks it.
#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "cli/manager_command.hpp"
#include "cli/ports_command.hpp"

namespace petrel::cli {

namespace {

struct ManagerFlags {
    ManagerOptions options;
    std::uint32_t event_days{30};
    std::uint32_t sample_hours{24};
};

void group_flags(CLI::App& app, ManagerOptions& options)
{
    auto* nats = app.add_option("--nats", options.nats,
                                "Servers of NATS, with commas: this manager is one of several that share a log there")
                     ->type_name("URL,URL,URL");
    app.add_option("--nats-credentials", options.nats_credentials,
                   "USER:PASSWORD in one line, or a .creds file, for the servers")
        ->type_name("FILE")
        ->needs(nats);
    app.add_option("--nats-ca", options.nats_ca,
                   "The certificates that the servers may have (PEM); with it, TLS is used")
        ->type_name("FILE")
        ->needs(nats);
    app.add_option("--nats-replicas", options.nats_replicas, "Servers that store each entry of the log, default 3")
        ->check(CLI::Range(1U, 5U))
        ->type_name("N")
        ->needs(nats);
    app.add_option(
           "--keep-log", options.log_gib,
           "Size of the log in NATS, default 4: a manager that was away reads on there. Set by the first manager")
        ->check(CLI::Range(1U, 1024U))
        ->type_name("GIB")
        ->needs(nats);
    app.add_option("--url", options.url,
                   "Where agents and clients reach this manager, for the others; default: --listen")
        ->type_name("URL")
        ->needs(nats);
}

}  // namespace

Handler manager_flags(CLI::App& app)
{
    const auto flags = std::make_shared<ManagerFlags>();
    auto& options = flags->options;
    app.add_option("--listen", options.listen, "Where agents and clients connect, default 127.0.0.1:7650")
        ->type_name("HOST:PORT");
    app.add_option(
           "--store", options.store,
           "The file of everything that agents report, made if it is missing, default /var/lib/petrel/manager.db")
        ->type_name("FILE");
    app.add_option("--cables", options.cables, "Which port is connected to which, in TOML")->type_name("FILE");
    app.add_option("--twin", options.twin, "A scenario: its fabric has the cables of the devices, which have its names")
        ->type_name("FILE");
    app.add_option("--fleet", options.fleet, "Racks and roles of agents, for commands to many, in TOML")
        ->type_name("FILE");
    auto* certificate =
        app.add_option("--tls-cert", options.tls_certificate, "Certificate (PEM), to listen at other addresses")
            ->type_name("FILE");
    auto* key = app.add_option("--tls-key", options.tls_key, "Its key (PEM)")->type_name("FILE");
    certificate->needs(key);
    key->needs(certificate);
    auto* tokens =
        app.add_option("--tokens", options.tokens, "Who may read, report and operate, in TOML")->type_name("FILE");
    app.add_option("--ca", options.ca,
                   "The manager issues certificates to agents (petrel enrol); its key is here, made if it is missing")
        ->type_name("FOLDER")
        ->needs(certificate)
        ->needs(tokens);
    app.add_option("--syslog", options.syslog,
                   "Where switches or their syslog daemons send log lines (RFC 5424); may be given several times")
        ->type_name("udp:HOST:PORT|tcp:HOST:PORT|unix:PATH");
    app.add_option("--syslog-from", options.syslog_from, "Other machines whose log lines are accepted")
        ->type_name("NETWORK");
    app.add_option("--keep-events", options.retention.most_events, "Events to keep, default 1000000")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}).description(""))
        ->type_name("N");
    app.add_option("--keep-days", flags->event_days, "For how long, default 30")
        ->check(CLI::Range(1U, 36'500U).description(""))
        ->type_name("DAYS");
    app.add_option("--keep-samples", options.retention.most_samples, "Samples of queues to keep, default 2000000")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}).description(""))
        ->type_name("N");
    app.add_option("--keep-sample-hours", flags->sample_hours, "For how long, default 24")
        ->check(CLI::Range(1U, 876'000U).description(""))
        ->type_name("HOURS");
    group_flags(app, options);
    return handler([flags](const Call& call) {
        auto given = flags->options;
        given.retention.oldest_event = std::chrono::hours{24} * flags->event_days;
        given.retention.oldest_sample = std::chrono::hours{flags->sample_hours};
        return run_manager(given, call.extras == nullptr ? nullptr : call.extras->reached);
    });
}

Handler ports_flags(CLI::App& app)
{
    const auto options = std::make_shared<PortsOptions>();
    app.add_flag("--errors", options->errors, "Only ports that are in error although their links are up");
    app.add_option("--device", options->device, "Only of this device")->type_name("NAME");
    app.add_flag("--json", options->json, "Print the manager's answer unchanged");
    manager_access_flags(app, options->manager);
    return handler([options](const Call&) { return run_ports(*options); });
}

}  // namespace petrel::cli

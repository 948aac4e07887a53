#include "cli/manager_command.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "api/service.hpp"
#include "certificates/certificates.hpp"
#include "cli/group_bus.hpp"
#include "codec/manager/cables.hpp"
#include "codec/manager/fleet_json.hpp"
#include "codec/manager/tokens.hpp"
#include "codec/scenario/reader.hpp"
#include "config/manager_url.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/signals.hpp"
#include "runtime/state_folder.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {

namespace {

constexpr auto kIssuerCertificate = "ca.pem";
constexpr auto kIssuerKey = "ca-key.pem";
constexpr unsigned kPrivateFile = 0600;

Parsed<std::string> file_text(const std::string& file)
{
    return runtime::read_regular_file(file).map_error(
        [](const Error& why) { return std::vector{Complaint{{}, 0, 0, why.what, {}}}; });
}

Parsed<fabric::Cables> read_cables(const std::string& file)
{
    if (file.empty()) {
        return fabric::Cables{};
    }
    return file_text(file).and_then([&](const std::string& text) { return codec::read_cables(text, file); });
}

// Cables of both files; those of the file of cables win.
Parsed<fabric::Cables> read_all_cables(const ManagerOptions& options)
{
    auto cables = read_cables(options.cables);
    if (!cables || options.twin.empty()) {
        return cables;
    }
    return file_text(options.twin)
        .and_then([&](const std::string& text) {
            return codec::read_whole_scenario(text, options.twin, {}, runtime::read_regular_file);
        })
        .map([&](const scenario::Scenario& scenario) {
            const auto& topology = scenario.setup.topology;
            const auto name = [&](const topology::End& end) {
                const auto& node = topology.nodes[end.node.value];
                return fabric::PortName{node.name, node.ports[end.port].name};
            };
            for (const auto& link : topology.links) {
                cables->emplace_back(name(link.ends[0]), name(link.ends[1]));
            }
            return std::move(*cables);
        });
}

Parsed<std::vector<fleet::AgentPlace>> read_places(const std::string& file)
{
    if (file.empty()) {
        return std::vector<fleet::AgentPlace>{};
    }
    return file_text(file).and_then([&](const std::string& text) { return codec::read_fleet_file(text, file); });
}

Parsed<std::vector<config::Token>> read_tokens(const std::string& file)
{
    if (file.empty()) {
        return std::vector<config::Token>{};
    }
    return file_text(file).and_then([&](const std::string& text) { return codec::read_tokens(text, file); });
}

Parsed<std::optional<http::Tls>> read_tls(const ManagerOptions& options)
{
    if (options.tls_certificate.empty()) {
        return std::nullopt;
    }
    return file_text(options.tls_certificate).and_then([&](const std::string& certificate) {
        return file_text(options.tls_key).map([&](std::string key) {
            return std::optional{http::Tls{certificate, std::move(key)}};
        });
    });
}

template <class Value, class Parse>
Result<std::vector<Value>> parse_all(const std::vector<std::string>& texts, const Parse& parse)
{
    std::vector<Value> all;
    for (const auto& text : texts) {
        auto value = parse(text);
        if (!value) {
            return tl::unexpected(value.error());
        }
        all.push_back(std::move(*value));
    }
    return all;
}

// The key is written before the certificate: a process that is killed in between makes both again.
Result<certificates::Issuer> make_issuer(const std::filesystem::path& folder)
{
    const auto now = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    return certificates::make_issuer("petrel manager", now).and_then([&](const certificates::Issuer& made) {
        return runtime::write_atomically(folder / kIssuerKey, made.key, kPrivateFile)
            .and_then([&] { return runtime::write_atomically(folder / kIssuerCertificate, made.certificate); })
            .map([&] { return made; });
    });
}

Parsed<std::optional<certificates::Issuer>> read_issuer(const std::string& folder_name)
{
    if (folder_name.empty()) {
        return std::nullopt;
    }
    const std::filesystem::path folder{folder_name};
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (!std::filesystem::exists(folder / kIssuerCertificate, failed)) {
        return make_issuer(folder)
            .map([](certificates::Issuer made) { return std::optional{std::move(made)}; })
            .map_error([](const Error& why) { return std::vector{Complaint{{}, 0, 0, why.what, {}}}; });
    }
    return file_text((folder / kIssuerCertificate).string()).and_then([&](const std::string& certificate) {
        return file_text((folder / kIssuerKey).string()).map([&](std::string key) {
            return std::optional{certificates::Issuer{certificate, std::move(key)}};
        });
    });
}

Result<std::optional<api::GroupOptions>> join_group(const ManagerOptions& options,
                                                    const std::optional<certificates::Issuer>& issuer)
{
    if (options.nats.empty()) {
        return std::nullopt;
    }
    if (!options.url.empty()) {
        if (const auto url = config::parse_manager_url(options.url); !url) {
            return tl::unexpected(Error{ErrorKind::invalid, fmt::format("--url: {}", url.error().what)});
        }
    } else if (options.listen.starts_with("0.0.0.0:") || options.listen.starts_with("[::]:")) {
        return tl::unexpected(
            Error{ErrorKind::invalid,
                  fmt::format("--listen {}: with --nats, --url names the address that others use", options.listen)});
    }
    return group_bus(options).map([&](std::shared_ptr<bus::Bus> bus) {
        return std::optional{api::GroupOptions{std::move(bus), options.url,
                                               issuer ? certificates::digest(issuer->certificate) : std::string{}}};
    });
}

// Before any other thread starts, because threads inherit the signal mask.
Result<std::unique_ptr<runtime::Signals>> stop_on_signals(runtime::EventLoop& loop)
{
    return runtime::Signals::make(loop, {SIGTERM, SIGINT}, [&loop](int) { loop.stop(); });
}

Result<void> serve(const ManagerOptions& options, const fabric::Cables& cables, api::ServiceOptions how)
{
    auto loop = runtime::EventLoop::make();
    if (!loop) {
        return tl::unexpected(loop.error());
    }
    const auto signals = stop_on_signals(**loop);
    if (!signals) {
        return tl::unexpected(signals.error());
    }
    auto group = join_group(options, how.issuer);  // with threads of its own
    if (!group) {
        return tl::unexpected(group.error());
    }
    how.group = std::move(*group);
    auto service = manager::Store::open(options.store)
                       .and_then([&](std::unique_ptr<manager::Store> store) {
                           return manager::Manager::start(std::move(store), cables);
                       })
                       .and_then([&](manager::Manager manager) {
                           return api::Service::start(**loop, std::move(manager), std::move(how));
                       });
    if (!service) {
        return tl::unexpected(service.error());
    }
    for (const auto& address : (*service)->log_addresses()) {
        print_stderr(fmt::format("petrel manager: reads log lines at {}", address));
    }
    print_stderr(fmt::format("petrel manager: listens at port {}", (*service)->port()));
    (*loop)->run();
    return {};
}

}  // namespace

ExitCode run_manager(const ManagerOptions& options, const std::function<void(std::string_view point)>& reached)
{
    const auto cables = read_all_cables(options);
    const auto tokens = read_tokens(options.tokens);
    const auto tls = read_tls(options);
    const auto places = read_places(options.fleet);
    if (!cables || !tokens || !tls || !places) {
        return refuse(!cables ? cables.error() : !tokens ? tokens.error() : !tls ? tls.error() : places.error());
    }
    const auto logs = parse_all<syslog::LogAddress>(options.syslog, syslog::parse_log_address);
    const auto senders = parse_all<syslog::Network>(options.syslog_from, syslog::parse_network);
    if (!logs || !senders) {
        return fail(!logs ? logs.error() : senders.error());
    }
    const auto issuer = read_issuer(options.ca);
    if (!issuer) {
        return refuse(issuer.error());
    }
    api::ServiceOptions how{.listen = options.listen,
                            .tls = *tls,
                            .tokens = *tokens,
                            .issuer = *issuer,
                            .backup = options.store + ".backup",
                            .retention = options.retention,
                            .logs = *logs,
                            .log_senders = *senders,
                            .places = *places,
                            .log = [](const std::string& line) { print_stderr("petrel manager: " + line); }};
    if (reached) {
        how.reached = reached;
    }
    const auto ended = serve(options, *cables, std::move(how));
    return ended ? ExitCode::ok : fail(ended.error());
}

}  // namespace petrel::cli

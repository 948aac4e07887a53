#include "cli/agent/agent_command.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/complaint_text.hpp"
#include "codec/agent_settings.hpp"
#include "codec/control_json.hpp"
#include "daemon/process_surroundings.hpp"
#include "daemon/release.hpp"
#include "daemon/service.hpp"
#include "runtime/exit_guard.hpp"
#include "runtime/real_time.hpp"
#include "runtime/state_folder.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {

namespace {

constexpr std::string_view kBuiltIn = "built-in defaults";

constexpr auto kUsualFile = "/etc/petrel/agent.toml";

struct Drivers {
    explicit Drivers(const AgentOptions& options) : own(options.parts->make_drivers())
    {
        if (options.extras != nullptr) {
            all = options.extras->drivers;
        }
        for (const auto& driver : own) {
            all.push_back(driver.get());
        }
    }

    std::vector<std::unique_ptr<daemon::Driver>> own;
    std::vector<daemon::Driver*> all;
};

std::string user_name()
{
    const auto* user = ::getpwuid(::getuid());
    return user != nullptr ? user->pw_name : fmt::format("uid {}", ::getuid());
}

}  // namespace

std::string config_file(const AgentOptions& options)
{
    std::error_code unknown;
    const bool usual = options.config.empty() && std::filesystem::exists(kUsualFile, unknown);
    return usual ? kUsualFile : options.config;
}

std::vector<codec::DriverKind> driver_kinds(const std::vector<daemon::Driver*>& drivers)
{
    std::vector<codec::DriverKind> kinds;
    for (const auto* driver : drivers) {
        kinds.push_back({driver->kind(), driver->has_policies()});
    }
    return kinds;
}

Parsed<config::AgentConfig> read_config(const AgentOptions& options, const std::vector<daemon::Driver*>& drivers)
{
    const auto file = config_file(options);
    std::string text;
    if (!file.empty()) {
        auto read = runtime::read_regular_file(file);
        if (!read) {
            return tl::unexpected(std::vector{Complaint{{}, 0, 0, read.error().what, {}}});
        }
        text = std::move(*read);
    }
    const bool by_defaults = file.empty() && !options.defaults.empty();
    auto given = codec::given_by_environment(environ);
    given.insert(given.end(), options.given.begin(), options.given.end());
    auto config =
        codec::read_agent_config(by_defaults ? options.defaults : std::string_view{text},
                                 by_defaults ? kBuiltIn : std::string_view{file}, given, driver_kinds(drivers));
    if (config && !config->manager_url.empty() && options.parts->make_manager_client == nullptr) {
        return tl::unexpected(std::vector{Complaint{
            file, 0, 0, fmt::format("manager.url: this program cannot report to a manager; petrel can"), {}}});
    }
    return std::move(config).map([&](config::AgentConfig read) {
        return options.parts->complete == nullptr ? read : options.parts->complete(std::move(read));
    });
}

ExitCode run_agent(const AgentOptions& options)
{
    const Drivers drivers{options};
    const auto read = [&] { return read_config(options, drivers.all); };
    auto config = read();
    if (!config) {
        return refuse(config.error());
    }
    if (options.real_time) {
        runtime::run_in_real_time();  // what is not permitted is a note of each device
    }
    const auto around = daemon::ProcessSurroundings::make();
    if (!around) {
        return fail(around.error());
    }
    std::unique_ptr<daemon::Nos> nos;
    if (options.parts->make_nos != nullptr) {
        auto made = options.parts->make_nos(*config, drivers.all, (*around)->clock());
        if (!made) {
            return fail(made.error());
        }
        nos = std::move(*made);
    }
    daemon::ServiceOptions how{.read_config = read,
                               .drivers = drivers.all,
                               .version = PETREL_VERSION,
                               .reached = {},
                               .nos = std::move(nos),
                               .manager_clients = options.parts->make_manager_client,
                               .renew_certificate = options.parts->renew_certificate};
    if (options.extras != nullptr) {
        how.reached = options.extras->reached;
    }
    const runtime::ExitGuard guard{"while the agent watches"};  // leave() calls _exit(), which the guard does not catch
    auto service = daemon::Service::make(std::move(*config), std::move(how), **around);
    if (!service) {
        return fail(service.error());
    }
    const auto ended = (*around)->run(**service);
    (*service)->leave(static_cast<int>(ended ? ExitCode::ok : fail(ended.error())));
}

ExitCode hand_back(const AgentOptions& options)
{
    const Drivers drivers{options};
    const auto config = read_config(options, drivers.all);
    if (!config) {
        return refuse(config.error());
    }
    std::string text;
    auto code = ExitCode::ok;
    for (const auto& given : config->devices) {
        auto* driver = daemon::find_driver(drivers.all, given);
        const auto devices =
            driver != nullptr
                ? driver->expand(given)
                : tl::unexpected(Error{ErrorKind::invalid, fmt::format("no driver for '{}'", given.driver)});
        if (!devices) {
            code = fail(devices.error());
            continue;
        }
        for (const auto& device : *devices) {
            using PutBack = daemon::Driver::PutBack;
            const auto back = driver->put_back(device);
            if (!back) {
                code = fail({back.error().kind, fmt::format("{}: {}", device.name, back.error().what)});
                continue;
            }
            text += fmt::format("{}: {}\n", device.name,
                                *back == PutBack::done     ? "put back; mitigations stay as they are"
                                : *back == PutBack::in_use ? "nothing is put back: a live agent watches it"
                                                           : "nothing is to be put back");
        }
    }
    return finish(fitted(text), code);
}

ExitCode release_without_agent(const AgentOptions& options, bool json)
{
    const Drivers drivers{options};
    const auto config = read_config(options, drivers.all);
    if (!config) {
        return refuse(config.error());
    }
    if (config->devices.empty()) {
        return fail({ErrorKind::invalid,
                     "nothing was released: without an agent the configuration has to name the devices; give the "
                     "agent's own with --config FILE, or --device and --state-dir"});
    }
    const runtime::ExitGuard guard{"before everything was released"};
    const auto released = daemon::release_from_journals(*config, drivers.all, user_name());
    if (!released) {
        return fail(released.error());
    }
    std::string text;
    for (const auto& line : released->report.lines) {
        text += escaped(line) + '\n';
    }
    return finish(json ? codec::answer_json(released->report) + '\n' : fitted(text),
                  released->all ? ExitCode::ok : ExitCode::failure);
}

}  // namespace petrel::cli

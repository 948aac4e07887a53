#include "cli/agent/config_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/agent/live_check.hpp"
#include "codec/agent_config_json.hpp"
#include "daemon/configuration.hpp"
#include "daemon/metrics_server.hpp"
#include "http/listening_socket.hpp"
#include "runtime/atomic_file.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

using DriverList = std::vector<std::unique_ptr<daemon::Driver>>;

std::vector<daemon::Driver*> pointers(const DriverList& drivers)
{
    std::vector<daemon::Driver*> all;
    std::transform(drivers.begin(), drivers.end(), std::back_inserter(all), [](const auto& d) { return d.get(); });
    return all;
}

// An agent with such a file would start, and would watch nothing real.
std::vector<Complaint> watch_problems(const config::AgentConfig& config, const DriverList& drivers)
{
    std::vector<Complaint> problems;
    bool nos = config.nos != config::NosKind::none;
    for (const auto& entry : config.devices) {
        const auto add = [&](std::string why) {
            problems.push_back({config.file, entry.at.line, entry.at.column, std::move(why), {}});
        };
        const auto* driver = daemon::find_driver(pointers(drivers), entry);
        nos = nos || driver->has_policies();
        if (const auto good = driver->check(entry); !good && good.error().complaints.empty()) {
            add(good.error().what);
        } else if (!good) {  // of another file, such as the scenario of a twin
            const auto& other = good.error().complaints;
            problems.insert(problems.end(), other.begin(), other.end());
        }
        if (driver->simulates() && !entry.simulated) {
            add(fmt::format("'{}' is a simulated fabric, no switch: for a trial, write simulated = true next to it",
                            entry.driver));
        }
    }
    if (config.devices.empty()) {
        problems.push_back({config.file, 0, 0, "nothing would be watched: name a device in a [[device]]", {}});
    }
    if (nos) {
        const auto* source = config.nos == config::NosKind::own ? "pfcwd" : "SONiC";
        for (auto& why : daemon::unused_policies(config.policies, source)) {
            problems.push_back({config.file, 0, 0, std::move(why), {}});
        }
    }
    return problems;
}

// Reads the file without flags and environment: an invalid value is reported even if they override it.
Parsed<config::AgentConfig> read_file_alone(const std::string& file, const DriverList& drivers)
{
    const auto text = runtime::read_whole_file(file);
    if (!text) {
        return tl::unexpected(std::vector{Complaint{{}, 0, 0, text.error().what, {}}});
    }
    return codec::read_agent_config(*text, file, {}, driver_kinds(pointers(drivers)));
}

Parsed<config::AgentConfig> read_effective(const AgentOptions& options, const DriverList& drivers)
{
    return read_config(options, pointers(drivers));
}

// Without --effective only the file is shown; a flag that has no effect is an error.
std::vector<Complaint> problems_of(const ConfigShowOptions& options)
{
    std::vector<Complaint> problems;
    if (options.effective) {
        return problems;
    }
    if (config_file(options.agent).empty()) {
        problems.push_back(
            {"--config", 0, 0, "which file? Or --effective, for all values that the agent would use", {}});
    }
    for (const auto& given : options.agent.given) {
        problems.push_back({given.origin, 0, 0, "has an effect only with --effective", {}});
    }
    return problems;
}

// The values that the file itself sets.
std::vector<config::EffectiveValue> values_of_file(const config::AgentConfig& config)
{
    std::vector<config::EffectiveValue> values;
    std::copy_if(config.values.begin(), config.values.end(), std::back_inserter(values),
                 [&](const auto& value) { return value.origin.starts_with(config.file + ':'); });
    return values;
}

std::string values_text(const std::vector<config::EffectiveValue>& values)
{
    Table table({{"key", Align::left, {}}, {"value", Align::left, {}}, {"from", Align::left, {}}});
    for (const auto& [key, value, origin] : values) {
        table.add({key, value.empty() ? "\"\"" : value, origin});
    }
    table.fit(stdout_columns());
    return table.text();
}

// "2 policies", "1 device", "no device"
std::string counted(std::size_t n, std::string_view one, std::string_view many)
{
    return n == 0 ? fmt::format("no {}", one) : fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace

ExitCode run_config_check(const ConfigCheckOptions& options)
{
    const auto drivers = options.parts->make_drivers();
    std::string text;
    std::vector<Complaint> problems;
    for (const auto& file : options.files) {
        const auto config = read_file_alone(file, drivers);
        auto found = config ? watch_problems(*config, drivers) : config.error();
        LiveCheck live;
        if (options.live && found.empty()) {
            live = check_live(*config, pointers(drivers));
            found = std::move(live.problems);
        }
        problems.insert(problems.end(), found.begin(), found.end());
        if (found.empty()) {
            text += fmt::format("{} is good: {}, {}\n", file,
                                counted(config->policies.policies.size(), "policy", "policies"),
                                counted(config->devices.size(), "device", "devices"));
        }
        text += live.text;
        if (found.empty()) {
            if (http::open_to_all(config->metrics_listen)) {
                text += fmt::format("{}: warning: {}\n", file, daemon::open_to_all_text(config->metrics_listen));
            }
        }
    }
    const auto code = problems.empty() ? ExitCode::ok : refuse(problems);
    return finish(fitted(text), code);
}

ExitCode run_config_show(const ConfigShowOptions& options)
{
    if (const auto problems = problems_of(options); !problems.empty()) {
        return refuse(problems);
    }
    const auto drivers = options.agent.parts->make_drivers();
    const auto config = options.effective ? read_effective(options.agent, drivers)
                                          : read_file_alone(config_file(options.agent), drivers);
    if (!config) {
        return refuse(config.error());
    }
    const auto values = options.effective ? config->values : values_of_file(*config);
    return finish(options.json ? codec::agent_config_json(config->file, values) : values_text(values), ExitCode::ok);
}

}  // namespace petrel::cli

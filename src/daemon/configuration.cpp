#include "daemon/configuration.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <memory>
#include <ranges>

#include "watchdog/policy.hpp"
#include "words/words.hpp"

namespace petrel::daemon {

config::AgentConfig named(config::AgentConfig config)
{
    if (config.name.empty()) {
        std::array<char, 256> host{};
        ::gethostname(host.data(), host.size() - 1);
        config.name = host.data();
    }
    return config;
}

namespace {

// Policies of several files become one: complaints about their ports name the file of each.
config::PolicyFile with_places(config::PolicyFile policies)
{
    const auto file = std::make_shared<const std::string>(policies.file);
    const auto place = [&](config::PortName& port) { port.at.file = port.at.file ? port.at.file : file; };
    for (auto& entry : policies.policies) {
        std::ranges::for_each(entry.ports, place);
    }
    std::ranges::for_each(policies.ports, place, &config::PortEntry::port);
    return policies;
}

}  // namespace

config::PolicyFile with_own(config::PolicyFile policies, const config::PolicyFile& own)
{
    const auto placed = with_places(own);
    policies.max_mitigated = own.max_mitigated;
    policies.ports = placed.ports;
    std::ranges::copy_if(placed.policies, std::back_inserter(policies.policies),
                         [](const config::PolicyEntry& entry) { return !entry.ports.empty(); });
    return policies;
}

config::PolicyFile in_layers(const config::PolicyFile& own, const config::PolicyFile& pushed, bool by_nos,
                             const config::PolicyFile* of_nos)
{
    if (by_nos && of_nos == nullptr) {
        return {};
    }
    if (!by_nos && pushed.policies.empty()) {
        return own;
    }
    auto base = by_nos ? *of_nos : own;
    if (!by_nos) {
        std::erase_if(base.policies, [](const config::PolicyEntry& entry) { return !entry.ports.empty(); });
    }
    std::ranges::copy(with_places(pushed).policies, std::back_inserter(base.policies));
    return with_own(std::move(base), own);
}

std::map<std::string, std::string> policies_by_port(const config::PolicyFile& file,
                                                    std::span<const config::DeviceRows> devices)
{
    std::map<std::size_t, std::vector<std::string>> unwatched;
    for (auto& [position, ports] : config::unwatched_ports(file, devices)) {
        unwatched[position] = ports;
    }
    std::map<std::string, std::string> by_port;
    for (std::size_t i = 0; i != file.policies.size(); ++i) {
        const auto& [policy, ports, per_priority, device] = file.policies[i];
        const auto text = fmt::format("{} ({}, {} ms, {} ms)", policy.name, watchdog::action_name(policy.action),
                                      whole_ms(policy.detect), whole_ms(policy.restore));
        for (const auto& port : ports) {
            if (std::ranges::find(unwatched[i], port.name) == unwatched[i].end()) {
                by_port[port.name] = text;
            } else {
                by_port.try_emplace(port.name, text + "; not watched: not known to face a server");
            }
        }
    }
    return by_port;
}

std::string sets_text(const std::vector<config::PolicyEntry>& sets)
{
    constexpr std::size_t kShown = 5;
    std::string text;
    for (const auto& shown : sets | std::views::take(kShown)) {
        const auto& policy = shown.policy;
        const auto same_name = [&](const config::PolicyEntry& set) {
            return set.policy.name == policy.name && set.device == shown.device;
        };
        const auto which = std::ranges::count_if(sets, same_name) < 2
                               ? ""
                               : fmt::format(" (priorities {})", watchdog::parameter_text(policy, "priorities"));
        text += fmt::format("{}{}{} on {}{}", text.empty() ? "" : ", ", policy.name, which,
                            count_text(shown.ports.size(), "port"), shown.device.empty() ? "" : " of " + shown.device);
    }
    if (sets.size() > kShown) {
        text += fmt::format(" and {} more", count_text(sets.size() - kShown, "set"));
    }
    return text.empty() ? "nothing" : text;
}

std::vector<std::string> unused_policies(const config::PolicyFile& file, std::string_view nos)
{
    std::vector<std::string> texts;
    for (const auto& entry : file.policies) {
        if (entry.ports.empty()) {
            texts.push_back(fmt::format(
                "policy {} of the agent's file is not used: it names no ports, and {} configures the others; "
                "name its ports (ports = [...]) or remove it",
                entry.policy.name, nos));
        }
    }
    return texts;
}

std::string idle_text(const config::PolicyEntry& entry)
{
    const auto names = entry.ports | std::views::transform(&config::PortName::name);
    const auto ports = entry.ports.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", "));
    if (entry.policy.host_facing_only) {
        return fmt::format("policy {} watches no queue: it is for ports that face servers, and none of its ports{} is "
                           "known to face one; name them: [[port]] with role = \"host\"",
                           entry.policy.name, ports);
    }
    return fmt::format("policy {} watches no queue: no device has a queue{} that it is for", entry.policy.name,
                       entry.ports.empty() ? "" : fmt::format(" at its ports{}", ports));
}

std::string unwatched_text(const config::PolicyEntry& entry, const std::vector<std::string>& ports)
{
    return fmt::format(
        "policy {} does not watch {}: it is for ports that face servers, and {} not known to face one; name them: "
        "[[port]] with role = \"host\"",
        entry.policy.name, fmt::join(ports, ", "), ports.size() == 1 ? "this one is" : "these are");
}

bool good_name(std::string_view name)
{
    const auto good = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
    return !name.empty() && name.size() <= 64 && name.front() != '.' && std::ranges::all_of(name, good);
}

std::vector<Complaint> what_needs_a_restart(const config::AgentConfig& now, const config::AgentConfig& next)
{
    std::vector<Complaint> problems;
    const auto same = [&](std::string_view key, const std::string& before, const std::string& after) {
        if (before != after) {
            problems.push_back(
                {next.file,
                 0,
                 0,
                 fmt::format("{} cannot change from '{}' to '{}' while the agent runs: restart it", key, before, after),
                 {}});
        }
    };
    same("agent.name", now.name, next.name);
    same("agent.state_dir", now.state_dir.string(), next.state_dir.string());
    same("agent.history_events", std::to_string(now.history_events), std::to_string(next.history_events));
    same("agent.nos", std::string{name(now.nos)}, std::string{name(next.nos)});
    same("agent.redis", now.redis, next.redis);
    same("control.socket", now.control_socket.string(), next.control_socket.string());
    same("control.group", now.control_group, next.control_group);
    same("metrics.listen", now.metrics_listen, next.metrics_listen);
    same("manager.url", now.manager_url, next.manager_url);
    same("manager.token_file", now.manager_token_file.string(), next.manager_token_file.string());
    same("manager.ca_file", now.manager_ca_file.string(), next.manager_ca_file.string());
    same("manager.certificate_file", now.manager_certificate_file.string(), next.manager_certificate_file.string());
    const auto devices = [](const config::AgentConfig& config) {
        std::string all;
        for (const auto& device : config.devices) {
            all += (all.empty() ? "" : ", ") + (device.name.empty() ? "" : device.name + "=") + device.driver;
            all += device.switch_log.empty() ? "" : fmt::format(" (switch_log {})", device.switch_log);
        }
        return all;
    };
    same("device", devices(now), devices(next));
    return problems;
}

}  // namespace petrel::daemon

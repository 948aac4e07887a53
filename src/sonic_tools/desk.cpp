#include "sonic_tools/desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/complaint_text.hpp"
#include "sonic_tools/natural_order.hpp"

namespace petrel::sonic_tools {
namespace {

constexpr auto kPortNames = "COUNTERS_PORT_NAME_MAP";

bool is_physical(std::string_view name) { return name.starts_with("Ethernet"); }

// Ports between the ASICs of one box, and to the CPU, are its own affair. Where CONFIG_DB is not filled, names have to
// do: rather one port too many is shown than a storm hidden.
bool leaves_the_box(std::string_view name, const Hash& port)
{
    static const std::set<std::string> internal{"Int", "Inb", "Rec", "Dpc"};
    return port.empty() ? is_physical(name) : !internal.contains(field(port, "role"));
}

// "Ethernet4:3" is "43".
std::string digits_of(std::string_view name)
{
    std::string digits;
    std::copy_if(name.begin(), name.end(), std::back_inserter(digits), [](char c) { return c >= '0' && c <= '9'; });
    return digits;
}

// Letters are misspelt; a port of another number is another port.
std::string meant_by(std::string_view name, std::span<const std::string> known)
{
    std::vector<std::string_view> candidates;
    std::copy_if(known.begin(), known.end(), std::back_inserter(candidates),
                 [digits = digits_of(name)](const std::string& one) { return digits_of(one) == digits; });
    return nearest(name, candidates);
}

}  // namespace

void need_writer(const Desk& desk, std::string_view complaint)
{
    if (!desk.around.may_write) {
        stop_with(desk.around.writers_exist
                      ? fmt::format("{}\nMembers of the group '{}' have them as well", complaint, kWriters)
                      : std::string{complaint});
    }
}

// SONiC's services wait until CONFIG_DB is filled, and the agent works by the configuration it read last: a change made
// before would not be in force, and may be lost.
void need_configurable(Desk& desk, std::string_view complaint)
{
    need_writer(desk, complaint);
    if (!desk.tables.config_is_filled()) {
        stop_with(fmt::format("Error: nothing was changed: CONFIG_DB is not filled ({} is not set), so the change "
                              "would not be in force\nTry again when SONiC has filled it; after a restart of Redis: "
                              "config reload",
                              sonic::kConfigFilled));
    }
}

Option namespace_option(std::vector<std::string_view> names)
{
    return {std::move(names), Choice{{""}}, "The namespace; there is one, and it has no name."};
}

Option display_option()
{
    return {
        {"--display", "-d"}, Choice{{"all", "frontend"}}, "Ports of every role, or front ports only. Default: all."};
}

Option json_option()
{
    return {{"--json"}, Flag{}, "As one line of JSON; values are texts, as the databases have them."};
}

Display display(const Given& given) { return given.text("--display") == "frontend" ? Display::frontend : Display::all; }

std::vector<std::string> only_shown(Tables& tables, std::vector<std::string> names, Display wanted)
{
    std::sort(names.begin(), names.end(), naturally_before);
    if (wanted == Display::all) {
        return names;
    }
    std::vector<std::string> keys;
    std::transform(names.begin(), names.end(), std::back_inserter(keys),
                   [](const std::string& name) { return fmt::format("PORT|{}", port_of(name)); });
    const auto ports = tables.hashes(Db::config, keys);
    std::vector<std::string> seen;
    for (std::size_t i = 0; i != names.size(); ++i) {
        if (leaves_the_box(names[i], ports[i])) {
            seen.push_back(std::move(names[i]));
        }
    }
    return seen;
}

std::vector<std::pair<std::string, std::string>> named_ports(Tables& tables, Display wanted)
{
    const auto ids = tables.hash(Db::counters, kPortNames);
    std::vector<std::string> names;
    for (const auto& [name, id] : ids) {
        names.push_back(name);
    }
    std::vector<std::pair<std::string, std::string>> ports;
    for (const auto& name : only_shown(tables, std::move(names), wanted)) {
        ports.emplace_back(name, ids.at(name));
    }
    return ports;
}

// Those that are configured as ports, and without a configuration those whose names say so.
std::vector<std::string> physical_ports(Tables& tables, Display wanted)
{
    std::vector<std::string> names;
    std::vector<std::string> others;
    std::vector<std::string> keys;
    for (const auto& [name, id] : named_ports(tables, wanted)) {
        (is_physical(name) ? names : others).push_back(name);
        if (!is_physical(name)) {
            keys.push_back(fmt::format("PORT|{}", name));
        }
    }
    const auto configured = keys.empty() ? std::vector<Hash>{} : tables.hashes(Db::config, keys);
    for (std::size_t i = 0; i != configured.size(); ++i) {
        if (!configured[i].empty()) {
            names.push_back(others[i]);
        }
    }
    return names;
}

bool means(std::string_view name, std::string_view queue)
{
    return queue.starts_with(name) && (queue.size() == name.size() || queue[name.size()] == ':');
}

std::string port_of(const std::string& queue) { return queue.substr(0, queue.find(':')); }

void need_known(std::span<const std::string> names, std::span<const std::string> known)
{
    std::vector<std::string> unknown;
    for (const auto& name : names) {
        const bool told = std::find(unknown.begin(), unknown.end(), name) != unknown.end();
        if (!told && name != "all" && std::find(known.begin(), known.end(), name) == known.end()) {
            unknown.push_back(name);
        }
    }
    if (unknown.empty()) {
        return;
    }
    Outcome outcome{"Failed to run command, invalid options:\n", {}, 1};
    for (const auto& name : unknown) {
        outcome.out += excerpt(name) + '\n';
        if (const auto near = meant_by(name, known); !near.empty()) {
            outcome.err += fmt::format("{}: the nearest is {}\n", excerpt(name), excerpt(near));
        }
    }
    throw Stop{std::move(outcome)};
}

bool means_all(std::span<const std::string> names)
{
    return names.empty() || std::find(names.begin(), names.end(), "all") != names.end();
}

}  // namespace petrel::sonic_tools

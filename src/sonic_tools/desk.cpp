#include "sonic_tools/desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/complaint_text.hpp"
#include "sonic_tools/help_text.hpp"
#include "sonic_tools/natural_order.hpp"
#include "sonic_tools/values.hpp"

namespace petrel::sonic_tools {
namespace {

constexpr auto kPortNames = "COUNTERS_PORT_NAME_MAP";

bool is_physical(std::string_view name) { return name.starts_with("Ethernet"); }

// Ports between the ASICs of one box, and to the CPU, do not leave it. If CONFIG_DB is not filled, the name decides:
// the command shows a port too many rather than hide a storm.
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

// Suggests only names with the same digits: operators misspell letters, and a port with another number is another port.
std::string meant_by(std::string_view name, std::span<const std::string> known)
{
    std::vector<std::string_view> candidates;
    std::copy_if(known.begin(), known.end(), std::back_inserter(candidates),
                 [digits = digits_of(name)](const std::string& one) { return digits_of(one) == digits; });
    return nearest(name, candidates);
}

Where where_of(const Given& given)
{
    return {std::string{given.text("--redis").value_or("")}, std::string{given.text("--socket").value_or("")}, {}};
}

// SONiC's words for an ASIC without front ports. An ASIC whose role is unknown is shown.
bool has_front_ports(Tables& tables)
{
    const auto role = field(tables.hash(Db::config, "DEVICE_METADATA|localhost"), "sub_role");
    return role != "BackEnd" && role != "Fabric";
}

}  // namespace

Desk::Desk(const Surroundings& surroundings, const Invocation& invocation)
    : around(surroundings),
      where(where_of(invocation.given)),
      command(*invocation.command),
      path(invocation.path),
      wanted_(invocation.given.text("--namespace"))
{}

std::vector<Tables>& Desk::asics()
{
    if (!asics_.empty()) {
        return asics_;
    }
    auto names = around.asics(where);
    if (!names) {
        stop_with(names.error());
    }
    if (names->empty()) {
        names->emplace_back();
    }
    if (wanted_) {
        const Choice known{{names->begin(), names->end()}};
        if (const auto problem = problem_with(*wanted_, known); !problem.empty()) {
            const auto option = std::ranges::find(command.options, "--namespace", long_name);
            throw Stop{usage_error(
                command, path, fmt::format("Invalid value for {}: {}", quoted_list(option->names, " / "), problem))};
        }
        names = std::vector{*wanted_};
    }
    for (auto& name : *names) {
        auto place = where;
        place.asic = std::move(name);
        asics_.emplace_back(around, std::move(place));
    }
    return asics_;
}

void Desk::ignore_named_asic()
{
    wanted_.reset();
    asics_.clear();
}

void Desk::write_changes()
{
    std::vector<std::string> changed;
    std::vector<std::string> unchanged;
    std::optional<Error> error;
    for (auto& tables : asics_) {
        if (!tables.has_changes()) {
            continue;
        }
        if (!error) {
            if (auto written = tables.write_changes(); !written) {
                error = std::move(written.error());
            }
        }
        (error ? unchanged : changed).push_back(excerpt(tables.asic()));
    }
    if (error && changed.empty()) {
        stop_with(*error);
    }
    if (error) {
        stop_with(fmt::format("Error: {}\nChanged: {}. Not changed: {}", escaped(error->what), fmt::join(changed, ", "),
                              fmt::join(unchanged, ", ")));
    }
}

std::string Desk::notes() const
{
    std::string notes;
    for (const auto& tables : asics_) {
        notes += tables.notes();
    }
    return notes;
}

void need_writer(const Desk& desk, std::string_view complaint)
{
    if (!desk.around.may_write) {
        stop_with(desk.around.writers_exist
                      ? fmt::format("{}\nMembers of the group '{}' have them as well", complaint, kWriters)
                      : std::string{complaint});
    }
}

// Until CONFIG_DB is filled, SONiC's services wait and the agent uses the configuration that it read last. A change
// made before would not be in force, and may be lost.
void need_configurable(Desk& desk, std::string_view complaint)
{
    need_writer(desk, complaint);
    for (auto& tables : desk.asics()) {
        if (!tables.config_is_filled()) {
            stop_with(
                fmt::format("Error: nothing was changed: CONFIG_DB{} is not filled ({} is not set), so the change "
                            "would not be in force\nTry again when SONiC has filled it; after a restart of "
                            "Redis: config reload",
                            tables.named(" of "), sonic::kConfigFilled));
        }
    }
}

Option namespace_option(std::vector<std::string_view> names)
{
    return {std::move(names), Text{},
            "The namespace of one ASIC, on a switch with several: asic0. Default: every ASIC."};
}

Option display_option()
{
    return {{"--display", "-d"},
            Choice{{"all", "frontend"}},
            "Ports of every role, or front ports only. Default: all; on a switch with several ASICs: frontend."};
}

Option json_option()
{
    return {{"--json"}, Flag{}, "As one line of JSON; values are texts, as the databases have them."};
}

Display display(const Given& given, Desk& desk)
{
    const bool several = !desk.asics().front().asic().empty();
    return given.text("--display").value_or(several ? "frontend" : "all") == "all" ? Display::all : Display::frontend;
}

std::vector<Tables*> shown_asics(Desk& desk, Display wanted)
{
    const bool all = wanted == Display::all || desk.asic_is_named() || desk.asics().size() == 1;
    std::vector<Tables*> shown;
    for (auto& tables : desk.asics()) {
        if (all || has_front_ports(tables)) {
            shown.push_back(&tables);
        }
    }
    return shown;
}

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

// Ports that CONFIG_DB has, and ports with the name of a physical port.
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

std::vector<OfAsic<std::string>> meant_ports(const std::vector<Tables*>& asics, const std::vector<std::string>& wanted,
                                             const KnownPorts& known)
{
    std::vector<OfAsic<std::string>> ports;
    std::vector<std::string> all;
    for (auto* tables : asics) {
        ports.push_back({tables, known(*tables)});
        all.insert(all.end(), ports.back().items.begin(), ports.back().items.end());
    }
    need_known(wanted, all);
    for (auto& [tables, items] : ports) {
        if (!means_all(wanted)) {
            auto meant = wanted;
            std::erase_if(meant,
                          [&](const std::string& name) { return std::ranges::find(items, name) == items.end(); });
            items = std::move(meant);
        }
    }
    return ports;
}

std::vector<OfAsic<std::string>> meant_ports(Desk& desk, const std::vector<std::string>& wanted)
{
    return meant_ports(shown_asics(desk, Display::all), wanted,
                       [](Tables& tables) { return physical_ports(tables, Display::all); });
}

Members json_head(const Tables& tables)
{
    return tables.asic().empty() ? Members{} : Members{{"namespace", tables.asic()}};
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
        const bool listed = std::find(unknown.begin(), unknown.end(), name) != unknown.end();
        if (!listed && name != "all" && std::find(known.begin(), known.end(), name) == known.end()) {
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

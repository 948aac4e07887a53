#include "sonic_tools/mmuconfig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/complaint_text.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic_tools/desk.hpp"
#include "sonic_tools/help_text.hpp"
#include "sonic_tools/json_document.hpp"
#include "sonic_tools/simple_table.hpp"

namespace petrel::sonic_tools {
namespace {

std::string hash_text(std::string_view title, const Hash& hash)
{
    SimpleTable table;
    for (const auto& [name, value] : hash) {
        table.rows.push_back({name, value});
    }
    return fmt::format("{}\n{}\n", title, to_text(table));
}

std::string list_text(Tables& tables, bool verbose)
{
    const auto of_namespace = tables.named(" for namespace ");
    std::string text;
    for (const auto& [name, hash] : tables.table("DEFAULT_LOSSLESS_BUFFER_PARAMETER")) {
        text += hash_text(fmt::format("Lossless traffic pattern{}:", of_namespace), hash);
    }
    const auto pools = tables.table("BUFFER_POOL");
    for (const auto& [name, hash] : pools) {
        text += hash_text(fmt::format("Pool{}: {}", of_namespace, excerpt(name)), hash);
    }
    if (pools.empty()) {
        text += fmt::format("No buffer pool information available{}\n", of_namespace);
    } else if (verbose) {
        text += fmt::format("Total pools: {}\n\n\n", pools.size());
    }
    const auto profiles = tables.table("BUFFER_PROFILE");
    for (const auto& [name, hash] : profiles) {
        text += hash_text(fmt::format("Profile{}: {}", of_namespace, excerpt(name)), hash);
    }
    if (profiles.empty()) {
        text += fmt::format("No buffer profile information available{}\n", of_namespace);
    } else if (verbose) {
        text += fmt::format("Total profiles: {}\n", profiles.size());
    }
    return text;
}

std::string list_json(Tables& tables)
{
    std::vector<Members> rows;
    for (const auto& [table, what] : {std::pair{"DEFAULT_LOSSLESS_BUFFER_PARAMETER", "lossless_traffic_pattern"},
                                      {"BUFFER_POOL", "pool"},
                                      {"BUFFER_PROFILE", "profile"}}) {
        for (const auto& [name, hash] : tables.table(table)) {
            auto& row = rows.emplace_back(Members{{"table", what}, {"name", name}});
            for (const auto& [key, value] : hash) {
                row.emplace_back(key, value);
            }
        }
    }
    return json_document(json_head(tables), "buffers", rows);
}

// The requested changes, as fields of the profile.
Hash changes_of(const Given& given)
{
    Hash fields;
    for (const auto& [option, name] : {std::pair{"--alpha", "dynamic_th"}, {"--staticth", "static_th"}}) {
        if (const auto value = given.number(option)) {
            fields[name] = fmt::format("{}", *value);
        }
    }
    if (const auto trim = given.text("--trim")) {
        fields["packet_discard_action"] = trim == "on" ? "trim" : "drop";
    }
    return fields;
}

// A profile has one kind of threshold, and only that one can be changed.
void need_thresholds(const Hash& fields, const Hash& before, const std::string& profile)
{
    for (const auto& [name, label] :
         {std::pair{"dynamic_th", "dynamic thresholding"}, {"static_th", "static threshold"}}) {
        if (fields.contains(name) && !before.contains(name)) {
            stop_with(fmt::format("{} not using {}", profile, label));
        }
    }
}

// If an agent owns the switch, no process programs the pools and profiles of CONFIG_DB.
bool buffers_are_not_programmed(Desk& desk)
{
    const auto owned = [](Tables& tables) { return !tables.hash(Db::state, sonic::kAgentMark).empty(); };
    return !desk.tables_are_agents() && std::ranges::any_of(desk.asics(), owned);
}

void need_programmer(Desk& desk)
{
    if (buffers_are_not_programmed(desk)) {
        stop_with("Error: nothing was changed: petrel agent owns this switch and does not program BUFFER_PROFILE of "
                  "CONFIG_DB "
                  "into it\nWith nos = \"own\", mmuconfig programs the profiles of the switch");
    }
}

// On a switch with several ASICs, changes the profile on each ASIC that has it.
Outcome set(const Given& given, Desk& desk)
{
    const std::string profile{*given.text("--profile")};
    const auto fields = changes_of(given);
    if (fields.empty()) {
        return usage_error(desk.command, desk.path, "Nothing to set: give -a, -s or -t.");
    }
    need_configurable(desk, "Root privileges required for this operation");
    need_programmer(desk);
    Outcome outcome;
    bool found = false;
    for (auto& tables : desk.asics()) {
        const auto key = fmt::format("BUFFER_PROFILE|{}", profile);
        const auto before = tables.hash(Db::config, key);
        if (before.empty()) {
            outcome.err += fmt::format("{} is not changed: it has no profile {}\n", tables.asic(), excerpt(profile));
            continue;
        }
        found = true;
        need_thresholds(fields, before, fmt::format("{}{}", excerpt(profile), tables.named(" on ")));
        tables.change(Db::config, {{Change::Kind::set, key, fields}});
        for (const auto& [name, value] : given.has("--verbose") ? fields : Hash{}) {
            outcome.out += fmt::format("Setting {} {} value to {}{}\n", excerpt(profile), name, value,
                                       tables.named(" for namespace "));
        }
    }
    if (!found) {
        stop_with(fmt::format("Cannot find profile {}{}; mmuconfig -l lists them", excerpt(profile),
                              desk.asic_is_named() ? desk.asics().front().named(" on ") : ""));
    }
    return outcome;
}

Outcome run_mmuconfig(const Given& given, Desk& desk)
{
    if (given.has("--list")) {
        Outcome outcome;
        for (auto& tables : desk.asics()) {
            outcome.out += given.has("--json") ? list_json(tables) : list_text(tables, given.has("--verbose"));
        }
        if (buffers_are_not_programmed(desk)) {
            outcome.err =
                "Note: all values are those of CONFIG_DB, and none of them is in the switch: petrel agent owns "
                "it and programs neither pools nor profiles\nThe switch has the buffers of its SAI library; "
                "with nos = \"own\", mmuconfig shows these\n";
        }
        return outcome;
    }
    return given.has("--profile") ? set(given, desk) : Outcome{help_text(desk.command, desk.path), {}, 1};
}

}  // namespace

const Command& mmuconfig()
{
    static const Command command{
        .name = "mmuconfig",
        .about = "The buffers of the switch: shows pools and profiles, changes a profile.",
        .run = run_mmuconfig,
        .options = {{{"-l", "--list"}, Flag{}, "Show pools and profiles."},
                    {{"-p", "--profile"}, Text{}, "The profile to change."},
                    {{"-a", "--alpha"}, Range{-8, 8}, "Its dynamic threshold: alpha is 2 to the power of this."},
                    {{"-s", "--staticth"}, Range{0, std::nullopt}, "Its static threshold, in bytes."},
                    {{"-t", "--trim"}, Choice{{"on", "off"}}, "Whether packets that do not fit are trimmed."},
                    namespace_option({"-n", "--namespace"}),
                    {{"-vv", "--verbose"}, Flag{}, "Say more."},
                    json_option()},
        .version = "1.0"};
    return command;
}

}  // namespace petrel::sonic_tools

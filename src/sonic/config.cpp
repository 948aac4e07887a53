#include "sonic/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "base/complaint_text.hpp"
#include "sonic/neighbors.hpp"

namespace petrel::sonic {

namespace {

using watchdog::Policy;
using watchdog::Preset;

constexpr std::string_view kGlobal = "GLOBAL";
constexpr std::string_view kEnable = "enable";

using Table = Rows;

Result<Table> read_table(Store& store, std::string_view name)
{
    const auto prefix = fmt::format("{}|", name);
    return store.keys(Db::config, prefix).and_then([&](const std::vector<std::string>& keys) {
        return store.hashes(Db::config, keys).map([&](std::vector<Hash> hashes) {
            Table table;
            for (std::size_t i = 0; i != keys.size(); ++i) {
                if (!hashes[i].empty()) {  // else removed since it was listed
                    table.emplace(keys[i].substr(prefix.size()), std::move(hashes[i]));
                }
            }
            return table;
        });
    });
}

std::string_view field(const Hash& hash, const std::string& name, std::string_view otherwise = {})
{
    const auto at = hash.find(name);
    return at != hash.end() ? std::string_view{at->second} : otherwise;
}

const Hash& row(const Table& table, std::string_view key)
{
    static const Hash kNone;
    const auto at = table.find(key);
    return at != table.end() ? at->second : kNone;
}

BitRate speed_of(std::string_view megabits)
{
    std::uint64_t number = 0;
    std::from_chars(megabits.data(), megabits.data() + megabits.size(), number);
    return {number * 1'000'000};
}

constexpr std::string_view kDefaultPoll = "100";

// The agent does not know when syncd polls, so it looks more often. A look waits for syncd's next poll until the next
// look is nearly due (device/sonic). The interval between looks is limited, since commands wait meanwhile.
constexpr int kLooksPerPoll = 4;
constexpr Duration kMostBetweenLooks = std::chrono::milliseconds{50};

class Reader {
public:
    Reader(const Table& ports, const Table& qos, const Table& pfc_wd, Role role, const std::optional<Config>& before)
        : ports_(ports), qos_(qos), pfc_wd_(pfc_wd), role_(role), before_(before)
    {
        config_.policies.file = "CONFIG_DB";
        if (!before_ || before_->big_red_switch) {
            return;
        }
        for (const auto& entry : before_->policies.policies) {
            for (const auto& port : entry.ports) {
                before_policies_.try_emplace(port.name, &entry.policy);
            }
        }
    }

    Config read(const Table& flex_counters) &&
    {
        read_ports();
        const auto& global = row(pfc_wd_, kGlobal);
        config_.big_red_switch = field(global, "BIG_RED_SWITCH") == kEnable;
        read_poll(field(global, "POLL_INTERVAL", kDefaultPoll));
        if (config_.big_red_switch) {
            read_red_switch();
        } else if (role_ == Role::owner && field(row(flex_counters, "PFCWD"), "FLEX_COUNTER_STATUS") == "disable") {
            config_.idle = "polling is disabled (pfcwd counter_poll disable): nothing is watched";
        } else {
            for (const auto& [port, entry] : pfc_wd_) {
                if (port != kGlobal) {
                    read_entry(port, entry);
                }
            }
        }
        return std::move(config_);
    }

private:
    void problem(std::string text)
    {
        if (config_.problem_count++ < kMostProblems) {
            config_.problems.push_back(std::move(text));
        }
    }

    void read_poll(std::string_view given)
    {
        auto policy = preset().policy;
        const auto wrong = watchdog::set_parameter(policy, preset(), "poll_ms", given);
        config_.poll_ms = !wrong ? std::string{given} : before_ ? before_->poll_ms : std::string{kDefaultPoll};
        if (wrong) {
            problem(fmt::format("PFC_WD|GLOBAL: POLL_INTERVAL is '{}': {}; {} stays in force", excerpt(given),
                                wrong->allowed, config_.poll_ms));
        }
    }

    void read_ports()
    {
        for (const auto& [name, port] : ports_) {
            const auto& qos = row(qos_, name);
            const auto lossless = bits(name, qos, "pfc_enable");
            const auto selected = bits(name, qos, "pfcwd_sw_enable");
            config_.ports.push_back(
                {name, speed_of(field(port, "speed")), lossless, without_lossy(qos, lossless, selected)});
        }
    }

    // `pfc config priority off` changes pfc_enable only. If an owner used pfcwd_sw_enable alone, it would continue to
    // treat a queue that is no longer lossless. As a detector the agent leaves the decision to orchagent.
    std::uint8_t without_lossy(const Hash& qos, std::uint8_t lossless, std::uint8_t selected) const
    {
        const bool valid = qos.contains("pfc_enable") && priority_bits(field(qos, "pfc_enable")).has_value();
        return role_ == Role::owner && valid ? selected & lossless : selected;
    }

    std::uint8_t bits(std::string_view port, const Hash& qos, const std::string& name)
    {
        const auto list = field(qos, name);
        const auto bits = priority_bits(list);
        if (!bits) {
            problem(fmt::format("PORT_QOS_MAP|{}: {} is '{}': priorities 0..7, separated by commas", excerpt(port),
                                name, excerpt(list)));
        }
        return bits.value_or(0);
    }

    PortConfig* find_port(std::string_view name)
    {
        const auto at = std::ranges::lower_bound(config_.ports, name, {}, &PortConfig::name);
        return at != config_.ports.end() && at->name == name ? &*at : nullptr;
    }

    // The big red switch treats every selected queue of every port, whatever PFC_WD contains. If orchagent does that,
    // the agent has nothing to decide.
    void read_red_switch()
    {
        if (role_ == Role::detector) {
            config_.idle = "the big red switch is on: orchagent treats every queue, and nothing is watched";
            return;
        }
        config_.policies.big_red_switch = true;
        for (const auto& port : config_.ports) {
            if (port.watched != 0) {
                auto policy = preset().policy;
                policy.name = "big_red_switch";
                add(policy, port);
            }
        }
    }

    void read_entry(const std::string& name, const Hash& entry)
    {
        auto* port = find_port(name);
        if (port == nullptr) {
            return problem(fmt::format("PFC_WD|{}: there is no such port", excerpt(name)));
        }
        const auto selected = field(row(qos_, name), "pfcwd_sw_enable");
        if (port->watched == 0 && priority_bits(selected).value_or(0) != 0) {
            return problem(fmt::format(
                "PFC_WD|{}: no priority that is watched is lossless: PORT_QOS_MAP|{} has pfc_enable "
                "'{}' and pfcwd_sw_enable '{}'",
                excerpt(name), excerpt(name), excerpt(field(row(qos_, name), "pfc_enable")), excerpt(selected)));
        }
        if (port->watched == 0) {
            return problem(
                fmt::format("PFC_WD|{}: no priority of the port is watched: PORT_QOS_MAP|{} has no pfcwd_sw_enable",
                            excerpt(name), excerpt(name)));
        }
        port->history = field(entry, "pfc_stat_history") == kEnable;
        if (auto policy = policy_of(entry)) {
            add(std::move(*policy), *port);
        } else if (const auto* old = policy_before(name)) {
            problem(fmt::format("PFC_WD|{}: {}; its last valid version stays in force", excerpt(name), policy.error()));
            add(*old, *port);
        } else {
            problem(fmt::format("PFC_WD|{}: {}", excerpt(name), policy.error()));
            port->history = false;
        }
    }

    const Policy* policy_before(std::string_view port) const
    {
        const auto at = before_policies_.find(port);
        return at != before_policies_.end() ? at->second : nullptr;
    }

    // The policy, or what is wrong with the entry.
    tl::expected<Policy, std::string> policy_of(const Hash& entry) const
    {
        auto policy = preset().policy;
        const auto restore = field(entry, "restoration_time");
        if (restore.empty()) {
            policy.release = watchdog::Release::manual;
        }
        const std::array<std::tuple<std::string_view, std::string_view, std::string_view>, 4> values{
            {{"poll_ms", "POLL_INTERVAL", config_.poll_ms},
             {"detect_ms", "detection_time", field(entry, "detection_time")},
             {"restore_ms", "restoration_time", restore},
             {"action", "action", field(entry, "action", "drop")}}};
        for (const auto& [key, shown, value] : values) {
            if (key == "restore_ms" && value.empty()) {
                continue;  // never restored automatically
            }
            if (const auto wrong = watchdog::set_parameter(policy, preset(), key, value)) {
                return tl::unexpected(fmt::format("{} is '{}': {}", shown, excerpt(value), wrong->allowed));
            }
        }
        if (policy.release == watchdog::Release::manual) {
            policy.restore = policy.poll;  // not used; must not cause a complaint
        }
        if (const auto wrong = watchdog::check(policy); !wrong.empty()) {
            const auto& [key, value, allowed] = wrong.front();
            return tl::unexpected(fmt::format("{} is {}: {}", key, value, allowed));
        }
        if (role_ == Role::detector) {
            policy.poll = std::min(policy.poll / kLooksPerPoll, kMostBetweenLooks);
        }
        policy.name =
            fmt::format("pfcwd-{}-{}-{}", watchdog::action_name(policy.action),
                        watchdog::parameter_text(policy, "detect_ms"), restore.empty() ? "infinite" : restore);
        return policy;
    }

    // Ports with the same treatment share an entry.
    void add(Policy policy, const PortConfig& port)
    {
        policy.priorities = port.watched;
        auto& entries = config_.policies.policies;
        const auto same = [&](const config::PolicyEntry& entry) {
            return entry.policy.name == policy.name && entry.policy.priorities == policy.priorities &&
                   entry.policy.poll == policy.poll;
        };
        auto at = std::ranges::find_if(entries, same);
        if (at == entries.end()) {
            at = entries.insert(entries.end(), {policy, {}, {}});
        }
        at->ports.push_back({port.name, {}});
    }

    static const Preset& preset() { return *watchdog::find_preset("sonic"); }

    const Table& ports_;
    const Table& qos_;
    const Table& pfc_wd_;
    Role role_;
    const std::optional<Config>& before_;
    std::map<std::string_view, const Policy*> before_policies_;  // by port name
    Config config_;
};

std::vector<Alpha> alphas_of(const Table& profiles)
{
    std::vector<Alpha> alphas;
    for (const auto& [name, profile] : profiles) {
        if (const auto at = profile.find("dynamic_th"); at != profile.end()) {
            alphas.push_back({name, at->second});
        }
    }
    return alphas;
}

Result<void> check_filled(Store& store)
{
    return store.is_set(Db::config, kConfigFilled).and_then([](bool filled) -> Result<void> {
        if (!filled) {
            return tl::unexpected(Error{ErrorKind::unreachable, "CONFIG_DB is not filled yet"});
        }
        return {};
    });
}

}  // namespace

std::optional<std::uint8_t> priority_bits(std::string_view list)
{
    std::uint8_t bits = 0;
    if (list.empty()) {
        return bits;
    }
    for (;;) {
        if (list.empty() || list.front() < '0' || list.front() > '7') {
            return std::nullopt;
        }
        bits = static_cast<std::uint8_t>(bits | 1U << static_cast<unsigned>(list.front() - '0'));
        list.remove_prefix(1);
        if (list.empty()) {
            return bits;
        }
        if (list.front() != ',') {
            return std::nullopt;
        }
        list.remove_prefix(1);
    }
}

std::string concern(const Config& config)
{
    if (!config.idle.empty() || config.problems.empty()) {
        return config.idle;
    }
    const auto others = config.problem_count - 1;
    return config.problems.front() + (others != 0 ? fmt::format(" (and {} more)", others) : "");
}

Result<Config> read_config(Store& store, Role role, const std::optional<Config>& before)
{
    if (const auto filled = check_filled(store); !filled) {
        return tl::unexpected(filled.error());
    }
    constexpr std::array<std::string_view, 7> kNames{"PORT",
                                                     "PORT_QOS_MAP",
                                                     "PFC_WD",
                                                     "BUFFER_PROFILE",
                                                     "FLEX_COUNTER_TABLE",
                                                     "DEVICE_NEIGHBOR",
                                                     "DEVICE_NEIGHBOR_METADATA"};
    std::array<Table, kNames.size()> tables;
    control::TableContent content;
    for (std::size_t i = 0; i != kNames.size(); ++i) {
        auto table = read_table(store, kNames[i]);
        if (!table) {
            return tl::unexpected(std::move(table.error()));
        }
        for (const auto& [key, hash] : *table) {
            content.emplace(fmt::format("{}|{}", kNames[i], key), hash);
        }
        tables[i] = std::move(*table);
    }
    const auto lldp = lldp_peers(store);
    // If CONFIG_DB was flushed meanwhile, the tables are incomplete.
    if (const auto filled = check_filled(store); !filled) {
        return tl::unexpected(filled.error());
    }
    auto config = Reader{tables[0], tables[1], tables[2], role, before}.read(tables[4]);
    config.alphas = alphas_of(tables[3]);
    for (const auto& [port, peer] : lldp) {
        content.emplace(fmt::format("{}|{}", kLldpTable, port), peer);
    }
    for (const auto& [port, far] : port_neighbors(tables[5], lldp)) {
        config.policies.neighbours.push_back({port, far.first, far.second});
    }
    for (const auto& port : server_ports(tables[5], tables[6], lldp)) {
        config.policies.server_ports.push_back({port});
    }
    config.tables = std::move(content);
    return config;
}

}  // namespace petrel::sonic

// The kinds of [[fault]] that affect agents and their devices.
#include <algorithm>
#include <array>
#include <limits>

#include "codec/scenario/fault_table.hpp"
#include "codec/scenario/parts.hpp"

namespace petrel::codec {

namespace {

using namespace scenario;
using device::FaultyDevice;

constexpr std::int64_t kMostCalls = 1'000'000;
constexpr std::int64_t kMostTornBytes = 1'000'000;
constexpr std::int64_t kMost32Bits = std::numeric_limits<std::uint32_t>::max();

// `device`: nodes that have an agent.
std::vector<NodeId> devices(FaultTable& fault)
{
    const auto* node = fault.section.require("device", "a switch or host with a policy, or a list of those");
    if (node == nullptr) {
        return {};
    }
    auto named = fault.names.nodes(*node, std::nullopt);
    for (const auto one : named) {
        if (std::ranges::find(fault.into.watches, one, &Watch::node) == fault.into.watches.end()) {
            fault.section.text().wrong(*node, fmt::format("devices with a policy: {} has no agent",
                                                          fault.names.topology().nodes[one.value].name));
            return {};
        }
    }
    return named;
}

template <class What>
void add(FaultTable& fault, const std::vector<NodeId>& to, const What& what)
{
    for (const auto device : to) {
        fault.into.agent_faults.push_back({fault.at, device, what});
    }
}

template <class What>
void plain(FaultTable& fault)
{
    add(fault, devices(fault), What{});
}

void read_until(FaultTable& fault, Ps& until)
{
    fault.section.time("until", until);
    if (until <= fault.at) {
        fault.section.text().wrong(*fault.section.find("until"), "a time after `at`");
    }
}

template <class What>
void with_end(FaultTable& fault)
{
    What what;
    read_until(fault, what.until);
    add(fault, devices(fault), what);
}

// Of faults that make something take time.
template <class What>
What read_takes(FaultTable& fault)
{
    What what;
    Ps takes = 0;
    fault.section.require("takes", "a time such as \"150ms\"");
    fault.section.time("takes", takes, twin::kNs);
    what.takes = twin::to_instant(takes).time_since_epoch();
    read_until(fault, what.until);
    return what;
}

template <class What>
void takes_long(FaultTable& fault)
{
    const auto what = read_takes<What>(fault);
    add(fault, devices(fault), what);
}

void delay_notices(FaultTable& fault)
{
    auto what = read_takes<DelayNotices>(fault);
    fault.section.read("twice", what.twice);
    fault.section.number("seed", what.seed, 0, kMost32Bits);
    add(fault, devices(fault), what);
}

void hang_device(FaultTable& fault)
{
    fault.section.require("until", "a time such as \"2s\"");
    with_end<HangDevice>(fault);
}

void kill_agent(FaultTable& fault)
{
    KillAgent what;
    if (const auto* node = fault.section.find("step")) {
        std::vector<std::string_view> words{"remembered", "halfway"};
        for (std::size_t p = 0; p < static_cast<std::size_t>(device::FaultPoint::count_); ++p) {
            words.push_back(name(static_cast<device::FaultPoint>(p)));
        }
        const auto step = fault.section.choice(*node, words).value_or(0);
        what = step == 0   ? KillAgent{KillAgent::When::remembered, {}}
               : step == 1 ? KillAgent{KillAgent::When::halfway, {}}
                           : KillAgent{KillAgent::When::in_command, static_cast<device::FaultPoint>(step - 2)};
    }
    add(fault, devices(fault), what);
}

void start_agent(FaultTable& fault)
{
    static constexpr std::array<std::string_view, 3> kMemories{"kept", "torn", "lost"};
    StartAgent what;
    if (const auto* node = fault.section.find("memory")) {
        what.memory = static_cast<StartAgent::Memory>(fault.section.choice(*node, kMemories).value_or(0));
    }
    const auto torn = [&](std::string_view key, std::optional<std::uint32_t>& into) {
        if (const auto* node = fault.section.find(key)) {
            if (what.memory != StartAgent::Memory::torn) {
                fault.section.text().wrong(*node, fmt::format("{} only with memory = \"torn\"", key));
            } else if (const auto bytes = fault.section.whole(*node, 1, kMostTornBytes)) {
                into = static_cast<std::uint32_t>(*bytes);
            }
        }
    };
    torn("torn_bytes", what.torn_bytes);
    torn("torn_journal", what.torn_journal);
    add(fault, devices(fault), what);
}

void reset_counters(FaultTable& fault)
{
    RestartCounters what;
    fault.section.read("told", what.reported);
    if (const auto* node = fault.section.find("wraps_after")) {
        if (const auto counts = fault.section.whole(*node, 1, kMost32Bits)) {
            what.wraps_after = static_cast<std::uint32_t>(*counts);
        }
    }
    add(fault, devices(fault), what);
}

void corrupt_counters(FaultTable& fault)
{
    CorruptCounters what;
    fault.section.number("seed", what.seed, 0, kMost32Bits);
    read_until(fault, what.until);
    add(fault, devices(fault), what);
}

void corrupt_stamps(FaultTable& fault)
{
    CorruptStamps what;
    Ps by = 0;
    fault.section.require("by", "a time such as \"5ms\"");
    fault.section.time("by", by, twin::kNs);
    what.by = twin::to_instant(by).time_since_epoch();
    fault.section.number("seed", what.seed, 0, kMost32Bits);
    read_until(fault, what.until);
    add(fault, devices(fault), what);
}

void clock_step(FaultTable& fault)
{
    StepClock what;
    Ps by = 0;
    bool back = false;
    fault.section.require("by", "a time such as \"10min\"");
    fault.section.time("by", by, twin::kUs);
    fault.section.read("back", back);
    what.by = std::chrono::microseconds{by / twin::kUs} * (back ? -1 : 1);
    add(fault, devices(fault), what);
}

// `calls` or `until`; without either, one call.
Spell read_spell(FaultTable& fault)
{
    Spell spell;
    if (!fault.section.table().contains("until")) {
        spell.calls = 1;
    }
    fault.section.number("calls", spell.calls, 1, kMostCalls);
    read_until(fault, spell.until);
    return spell;
}

void fail_writes(FaultTable& fault)
{
    static constexpr std::array<std::pair<std::string_view, FaultyDevice::Fault>, 6> kHow{
        {{"refuse", FaultyDevice::Fault::refuse},
         {"fail", FaultyDevice::Fault::fail},
         {"time-out", FaultyDevice::Fault::time_out},
         {"late", FaultyDevice::Fault::answer_late},
         {"no-effect", FaultyDevice::Fault::have_no_effect},
         {"halfway", FaultyDevice::Fault::fail_halfway}}};
    FailWrites what{FaultyDevice::Fault::fail, read_spell(fault)};
    if (const auto* node = fault.section.find("how")) {
        std::vector<std::string_view> words;
        std::ranges::transform(kHow, std::back_inserter(words), [](const auto& how) { return how.first; });
        what.how = kHow[fault.section.choice(*node, words).value_or(0)].second;
    }
    add(fault, devices(fault), what);
}

void lie(FaultTable& fault)
{
    LieInReadBack what{watchdog::Treatment::none, read_spell(fault)};
    if (const auto* node = fault.section.find("shows")) {
        std::vector<std::string_view> words;
        for (std::size_t t = 0; t < static_cast<std::size_t>(watchdog::Treatment::count_); ++t) {
            words.push_back(name(static_cast<watchdog::Treatment>(t)));
        }
        what.shown = static_cast<watchdog::Treatment>(fault.section.choice(*node, words).value_or(0));
    }
    add(fault, devices(fault), what);
}

// `port` of the device, and `priority`: a queue, or a whole port.
std::optional<Target> read_target(FaultTable& fault, const std::vector<NodeId>& of)
{
    const auto* priority = fault.section.find("priority");
    const auto* node = fault.section.find("port");
    if (node == nullptr) {
        if (priority != nullptr) {
            fault.section.text().wrong(*priority, "a priority of a port: give both");
        }
        return std::nullopt;
    }
    const auto end = fault.names.port(*node);
    if (!end) {
        return std::nullopt;
    }
    if (of.size() != 1 || end->node != of.front()) {
        fault.section.text().wrong(*node, "a port of the one device");
        return std::nullopt;
    }
    Target target{{DeviceId{end->node.value}, end->port}, std::nullopt};
    if (priority != nullptr) {
        target.priority =
            Priority{static_cast<std::uint8_t>(fault.section.whole(*priority, 0, kPriorities - 1).value_or(0))};
    }
    return target;
}

void order(FaultTable& fault)
{
    static constexpr std::array<std::string_view, 8> kOrders{
        "mitigate", "release", "repaired", "red-switch-on", "red-switch-off", "stop", "stop-and-hold", "hold"};
    GiveOrder what;
    what.order.by = "scenario";
    if (const auto* node = fault.section.require("what", "an order")) {
        what.order.kind = static_cast<watchdog::Order::Kind>(fault.section.choice(*node, kOrders).value_or(0));
    }
    const auto to = devices(fault);
    what.order.target = read_target(fault, to);
    add(fault, to, what);
}

void remove_port(FaultTable& fault)
{
    RemovePort what;
    read_until(fault, what.until);
    const auto to = devices(fault);
    const auto* node = fault.section.require("port", "a port of the device, such as \"leaf0:Ethernet4\"");
    if (node == nullptr) {
        return;
    }
    if (const auto end = fault.names.port(*node)) {
        if (to.size() != 1 || end->node != to.front()) {
            return fault.section.text().wrong(*node, "a port of the one device");
        }
        what.port = end->port;
        add(fault, to, what);
    }
}

// All keys that are not the fault's own are policy parameters.
void set_policy(FaultTable& fault)
{
    static constexpr std::array<std::string_view, 3> kOwnKeys{"at", "kind", "device"};
    const auto to = devices(fault);
    for (const auto& [key, value] : fault.section.table()) {
        fault.section.find(key.str());
    }
    const auto books = read_policy(fault.section.text(), fault.names, fault.section.table(), kOwnKeys, to);
    for (std::size_t i = 0; i < books.size(); ++i) {
        fault.into.agent_faults.push_back({fault.at, to[i], SetPolicy{books[i]}});
    }
}

}  // namespace

std::span<const FaultKind> agent_fault_kinds()
{
    static constexpr std::array kKinds{FaultKind{"kill-agent", kill_agent},
                                       FaultKind{"start-agent", start_agent},
                                       FaultKind{"delay-looks", takes_long<DelayLooks>},
                                       FaultKind{"skip-looks", with_end<FailLooks>},
                                       FaultKind{"freeze-counters", with_end<FreezeCounters>},
                                       FaultKind{"reset-counters", reset_counters},
                                       FaultKind{"corrupt-counters", corrupt_counters},
                                       FaultKind{"corrupt-stamps", corrupt_stamps},
                                       FaultKind{"clock-step", clock_step},
                                       FaultKind{"fail-writes", fail_writes},
                                       FaultKind{"lie", lie},
                                       FaultKind{"order", order},
                                       FaultKind{"set-policy", set_policy},
                                       FaultKind{"reload", plain<Reload>},
                                       FaultKind{"remove-port", remove_port},
                                       FaultKind{"slow-disk", takes_long<SlowDisk>},
                                       FaultKind{"full-disk", with_end<FullDisk>},
                                       FaultKind{"slow-writes", takes_long<SlowWrites>},
                                       FaultKind{"delay-writes", takes_long<DelayWrites>},
                                       FaultKind{"hang-device", hang_device},
                                       FaultKind{"lose-notices", with_end<LoseNotices>},
                                       FaultKind{"delay-notices", delay_notices}};
    return kKinds;
}

}  // namespace petrel::codec

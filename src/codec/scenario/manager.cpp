// [manager], and the kinds of [[fault]] that affect managers and their messages.
#include <algorithm>
#include <array>
#include <utility>

#include "codec/scenario/fault_table.hpp"
#include "codec/scenario/parts.hpp"

namespace petrel::codec {

namespace {

using namespace scenario;

constexpr std::int64_t kMostFaster = 1000;
constexpr Ps kUsualSweep = 10 * twin::kMs;
constexpr std::int64_t kMostManagers = 2;
constexpr std::int64_t kWhole = 100;  // percent
constexpr std::int64_t kMostSeed = 4'294'967'295;

template <class What>
void add(FaultTable& fault, What what)
{
    if (!fault.into.manager) {
        return fault.section.text().wrong(*fault.section.find("kind"), "a fault of agents or of the fabric: without "
                                                                       "[manager] there is no manager");
    }
    fault.into.manager_faults.push_back({fault.at, std::move(what)});
}

template <class Enum, std::size_t count>
Enum word(FaultTable& fault, std::string_view key, const std::array<std::string_view, count>& words)
{
    const auto* node = fault.section.find(key);
    return static_cast<Enum>(node == nullptr ? 0 : fault.section.choice(*node, words).value_or(0));
}

Duration read_takes(FaultTable& fault)
{
    Ps takes = 0;
    fault.section.time("takes", takes, twin::kNs);
    return twin::to_instant(takes).time_since_epoch();
}

DisturbMessages read_disturbance(FaultTable& fault, DisturbMessages::What what)
{
    static constexpr std::array<std::string_view, 3> kWhich{"both", "reports", "answers"};
    DisturbMessages disturb;
    disturb.what = what;
    disturb.which = word<DisturbMessages::Which>(fault, "which", kWhich);
    if (const auto* node = fault.section.find("device")) {
        disturb.devices = fault.names.nodes(*node, std::nullopt);
    }
    fault.section.number("percent", disturb.percent, 1, kWhole);
    fault.section.number("seed", disturb.seed, 0, kMostSeed);
    fault.section.time("until", disturb.until);
    if (disturb.until <= fault.at) {
        fault.section.text().wrong(*fault.section.find("until"), "a time after `at`");
    }
    return disturb;
}

void lose_messages(FaultTable& fault) { add(fault, read_disturbance(fault, DisturbMessages::What::lose)); }

void double_messages(FaultTable& fault)
{
    auto what = read_disturbance(fault, DisturbMessages::What::repeat);
    what.takes = read_takes(fault);
    add(fault, std::move(what));
}

void delay_messages(FaultTable& fault)
{
    auto what = read_disturbance(fault, DisturbMessages::What::delay);
    fault.section.require("takes", "a time such as \"150ms\"");
    what.takes = read_takes(fault);
    add(fault, std::move(what));
}

// `manager`: by its number, from 1.
std::uint32_t read_number(FaultTable& fault, bool required)
{
    const auto* node = fault.section.find("manager");
    if (node == nullptr && required) {
        fault.section.require("manager", "the number of a manager");
    }
    const auto most = fault.into.manager ? fault.into.manager->managers : 1U;
    const auto number = node == nullptr ? std::nullopt : fault.section.whole(*node, 1, most);
    return static_cast<std::uint32_t>(number.value_or(1) - 1);
}

void kill_manager(FaultTable& fault)
{
    static constexpr std::array<std::string_view, 2> kSteps{"taken", "stored"};
    KillManager what;
    what.manager = read_number(fault, false);
    if (const auto* node = fault.section.find("step")) {
        what.when =
            fault.section.choice(*node, kSteps).value_or(0) == 0 ? KillManager::When::taken : KillManager::When::stored;
    }
    add(fault, what);
}

void start_manager(FaultTable& fault)
{
    static constexpr std::array<std::string_view, 3> kStores{"kept", "copy", "lost"};
    StartManager what;
    what.manager = read_number(fault, false);
    what.store = word<StartManager::Store>(fault, "store", kStores);
    const auto* copied_at = fault.section.find("copied_at");
    if (what.store == StartManager::Store::copy) {
        fault.section.require("copied_at", "a time such as \"150ms\"");
        fault.section.time("copied_at", what.copied_at);
        if (copied_at != nullptr && what.copied_at >= fault.at) {
            fault.section.text().wrong(*copied_at, "a time before `at`");
        }
    } else if (copied_at != nullptr) {
        fault.section.text().wrong(*copied_at, "copied_at only with store = \"copy\"");
    }
    add(fault, what);
}

void use_manager(FaultTable& fault) { add(fault, UseManager{read_number(fault, true)}); }

}  // namespace

std::span<const FaultKind> manager_fault_kinds()
{
    static constexpr std::array kKinds{
        FaultKind{"lose-messages", lose_messages},   FaultKind{"double-messages", double_messages},
        FaultKind{"delay-messages", delay_messages}, FaultKind{"kill-manager", kill_manager},
        FaultKind{"start-manager", start_manager},   FaultKind{"use-manager", use_manager}};
    return kKinds;
}

void read_manager(Section& top, ScenarioNames& names, std::span<const SwitchTraits> by_profile, Scenario& into)
{
    auto section = top.below("manager");
    if (!section) {
        return;
    }
    auto& manager = into.manager.emplace();
    into.manager_sweep = kUsualSweep;
    section->time("sweep", into.manager_sweep, twin::kUs);
    section->number("faster", manager.faster, 1, kMostFaster);
    section->number("managers", manager.managers, 1, kMostManagers);
    if (const auto* node = section->find("devices")) {
        for (const auto device : names.nodes(*node, std::nullopt)) {
            if (std::ranges::find(into.watches, device, &Watch::node) == into.watches.end()) {
                into.watches.push_back({device, {}, traits_of(names.topology(), device, by_profile, into.setup)});
            }
        }
    }
    section->done();
}

}  // namespace petrel::codec

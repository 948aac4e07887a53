#include "swarm/coverage.hpp"

#include <array>

namespace petrel::swarm {

namespace {

using namespace scenario;

template <class... Each>
struct Overloaded : Each... {
    using Each::operator()...;
};

// By the alternatives of Fault::what.
constexpr std::array<std::string_view, 19> kFabricKinds{
    "storm",     "stop-storm", "stop-pipeline", "slow-pipeline", "heal-pipeline", "kill-host", "reboot-host",
    "cut-link",  "mend-link",  "set-speed",     "degrade-link",  "switch-port",   "link-down", "power-loss",
    "slow-port", "heal-port",  "reroute",       "set-route",     "set-alpha"};
static_assert(kFabricKinds.size() == std::variant_size_v<decltype(Fault::what)>);

constexpr std::array<std::string_view, 8> kDeaths{
    "kill-agent before_prepare", "kill-agent prepared", "kill-agent journaled", "kill-agent applied",
    "kill-agent read_back",      "kill-agent closed",   "kill-agent halfway",   "kill-agent remembered"};
static_assert(kDeaths.size() == static_cast<std::size_t>(device::FaultPoint::count_) + 2);
constexpr std::array<std::string_view, 3> kStarts{"start-agent kept", "start-agent torn", "start-agent lost"};
constexpr std::array<std::string_view, 7> kWrites{"",
                                                  "fail-writes refuse",
                                                  "fail-writes fail",
                                                  "fail-writes time-out",
                                                  "fail-writes late",
                                                  "fail-writes no-effect",
                                                  "fail-writes halfway"};
// A scenario does not clear statistics.
constexpr std::array<std::string_view, 9> kOrders{"order mitigate",      "order release",        "order repaired",
                                                  "order red-switch-on", "order red-switch-off", "order stop",
                                                  "order stop-and-hold", "order hold",           ""};
static_assert(kOrders.size() == static_cast<std::size_t>(watchdog::Order::Kind::clear) + 1);
constexpr std::array<std::string_view, 20> kPlain{
    "kill-agent",    "delay-looks",   "skip-looks",  "freeze-counters", "reset-counters",      "clock-step",
    "lie",           "set-policy",    "reload",      "remove-port",     "slow-disk",           "full-disk",
    "slow-writes",   "delay-writes",  "hang-device", "lose-notices",    "reset-counters wrap", "corrupt-counters",
    "delay-notices", "corrupt-stamps"};

constexpr std::array<std::string_view, 3> kMessages{"lose-messages", "double-messages", "delay-messages"};
constexpr std::array<std::string_view, 3> kManagerDeaths{"kill-manager", "kill-manager taken", "kill-manager stored"};
constexpr std::array<std::string_view, 3> kManagerStarts{"start-manager kept", "start-manager copy",
                                                         "start-manager lost"};

}  // namespace

std::size_t Coverage::possible()
{
    constexpr auto kKinds = kFabricKinds.size() + kDeaths.size() + kStarts.size() + kWrites.size() - 1 +
                            kOrders.size() - 1 + kPlain.size() + kMessages.size() + kManagerDeaths.size() +
                            kManagerStarts.size() + 1;
    return kKinds * static_cast<std::size_t>(watchdog::Phase::count_);
}

std::string_view kind_of(const AgentFault& fault)
{
    return std::visit(
        Overloaded{[](const KillAgent& what) {
                       using When = KillAgent::When;
                       return what.when == When::in_command   ? kDeaths[static_cast<std::size_t>(what.step)]
                              : what.when == When::halfway    ? kDeaths[kDeaths.size() - 2]
                              : what.when == When::remembered ? kDeaths.back()
                                                              : kPlain[0];
                   },
                   [](const StartAgent& what) { return kStarts[static_cast<std::size_t>(what.memory)]; },
                   [](const DelayLooks&) { return kPlain[1]; },
                   [](const FailLooks&) { return kPlain[2]; },
                   [](const FreezeCounters&) { return kPlain[3]; },
                   [](const RestartCounters& what) { return kPlain[what.wraps_after ? 16 : 4]; },
                   [](const CorruptCounters&) { return kPlain[17]; },
                   [](const CorruptStamps&) { return kPlain[19]; },
                   [](const StepClock&) { return kPlain[5]; },
                   [](const FailWrites& what) { return kWrites[static_cast<std::size_t>(what.how)]; },
                   [](const LieInReadBack&) { return kPlain[6]; },
                   [](const GiveOrder& what) { return kOrders[static_cast<std::size_t>(what.order.kind)]; },
                   [](const SetPolicy&) { return kPlain[7]; },
                   [](const Reload&) { return kPlain[8]; },
                   [](const RemovePort&) { return kPlain[9]; },
                   [](const SlowDisk&) { return kPlain[10]; },
                   [](const FullDisk&) { return kPlain[11]; },
                   [](const SlowWrites&) { return kPlain[12]; },
                   [](const DelayWrites&) { return kPlain[13]; },
                   [](const HangDevice&) { return kPlain[14]; },
                   [](const LoseNotices&) { return kPlain[15]; },
                   [](const DelayNotices&) { return kPlain[18]; }},
        fault.what);
}

std::string_view kind_of(const Fault& fault) { return kFabricKinds[fault.what.index()]; }

std::string_view kind_of(const ManagerFault& fault)
{
    return std::visit(
        Overloaded{[](const DisturbMessages& what) { return kMessages[static_cast<std::size_t>(what.what)]; },
                   [](const KillManager& what) { return kManagerDeaths[static_cast<std::size_t>(what.when)]; },
                   [](const StartManager& what) { return kManagerStarts[static_cast<std::size_t>(what.store)]; },
                   [](const UseManager&) { return std::string_view{"use-manager"}; }},
        fault.what);
}

}  // namespace petrel::swarm

// [[fault]] of agents: given and omitted keys. The complaints are in tests/golden/codec/scenario.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/scenario/reader.hpp"
#include "golden.hpp"

namespace petrel::codec {
namespace {

using device::FaultyDevice;
using topology::NodeId;
using twin::kMs;

// Reads the single fault of the agent on s0, node 2.
template <class What>
What read(std::string_view fault)
{
    const auto text = "name = \"agents\"\nduration = \"2ms\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\n"
                      "[[policy]]\npreset = \"sonic\"\n[[fault]]\nat = \"1ms\"\ndevice = \"s0\"\n" +
                      std::string{fault};
    const auto parsed = read_scenario(text, "test.toml");
    EXPECT_TRUE(parsed) << golden::lines(parsed ? std::vector<Complaint>{} : parsed.error());
    if (!parsed || parsed->agent_faults.size() != 1) {
        ADD_FAILURE() << fault;
        return {};
    }
    const auto& only = parsed->agent_faults[0];
    EXPECT_EQ(only.at, kMs);
    EXPECT_EQ(only.device, NodeId{2});
    EXPECT_TRUE(std::holds_alternative<What>(only.what)) << fault;
    return std::get<What>(only.what);
}

TEST(ScenarioAgentFaults, LooksAndCounters)
{
    using When = scenario::KillAgent::When;
    EXPECT_EQ(read<scenario::KillAgent>("kind = \"kill-agent\"").when, When::at_once);
    EXPECT_EQ(read<scenario::KillAgent>("kind = \"kill-agent\"\nstep = \"remembered\"").when, When::remembered);
    for (std::size_t p = 0; p < static_cast<std::size_t>(device::FaultPoint::count_); ++p) {
        const auto step = static_cast<device::FaultPoint>(p);
        EXPECT_EQ(read<scenario::KillAgent>(fmt::format("kind = \"kill-agent\"\nstep = \"{}\"", name(step))),
                  (scenario::KillAgent{When::in_command, step}));
    }
    using Memory = scenario::StartAgent::Memory;
    const auto kept = read<scenario::StartAgent>("kind = \"start-agent\"");
    EXPECT_EQ(kept.memory, Memory::kept);
    EXPECT_FALSE(kept.torn_bytes);
    EXPECT_EQ(read<scenario::StartAgent>("kind = \"start-agent\"\nmemory = \"lost\"").memory, Memory::lost);
    const auto torn = read<scenario::StartAgent>("kind = \"start-agent\"\nmemory = \"torn\"\ntorn_bytes = 7");
    EXPECT_EQ(torn.memory, Memory::torn);
    EXPECT_EQ(torn.torn_bytes, 7U);
    const auto slow = read<scenario::DelayLooks>("kind = \"delay-looks\"\ntakes = \"30ms\"\nuntil = \"1s\"");
    EXPECT_EQ(slow.takes, std::chrono::milliseconds{30});
    EXPECT_EQ(slow.until, 1'000 * kMs);
    EXPECT_EQ(read<scenario::FailLooks>("kind = \"skip-looks\"").until, twin::kForever);
    EXPECT_EQ(read<scenario::FreezeCounters>("kind = \"freeze-counters\"\nuntil = \"2ms\"").until, 2 * kMs);
    EXPECT_TRUE(read<scenario::RestartCounters>("kind = \"reset-counters\"").reported);
    EXPECT_FALSE(read<scenario::RestartCounters>("kind = \"reset-counters\"\ntold = false").reported);
    EXPECT_FALSE(read<scenario::RestartCounters>("kind = \"reset-counters\"").wraps_after);
    EXPECT_EQ(read<scenario::RestartCounters>("kind = \"reset-counters\"\nwraps_after = 9").wraps_after, 9U);
    const auto wrong = read<scenario::CorruptCounters>("kind = \"corrupt-counters\"\nseed = 7\nuntil = \"2ms\"");
    EXPECT_EQ(wrong.seed, 7U);
    EXPECT_EQ(wrong.until, 2 * kMs);
    EXPECT_EQ(read<scenario::CorruptCounters>("kind = \"corrupt-counters\"").until, twin::kForever);
    const auto stamps =
        read<scenario::CorruptStamps>("kind = \"corrupt-stamps\"\nby = \"3us\"\nseed = 7\nuntil = \"2ms\"");
    EXPECT_EQ(stamps.by, std::chrono::microseconds{3});
    EXPECT_EQ(stamps.seed, 7U);
    EXPECT_EQ(stamps.until, 2 * kMs);
    EXPECT_EQ(read<scenario::StepClock>("kind = \"clock-step\"\nby = \"10min\"").by, std::chrono::minutes{10});
    EXPECT_EQ(read<scenario::StepClock>("kind = \"clock-step\"\nby = \"1s\"\nback = true").by,
              std::chrono::seconds{-1});
}

TEST(ScenarioAgentFaults, ReloadPortsAndDisk)
{
    read<scenario::Reload>("kind = \"reload\"");
    const auto port = read<scenario::RemovePort>("kind = \"remove-port\"\nport = \"s0:Ethernet1\"\nuntil = \"2ms\"");
    EXPECT_EQ(port.port, 1U);
    EXPECT_EQ(port.until, 2 * kMs);
    const auto slow = read<scenario::SlowDisk>("kind = \"slow-disk\"\ntakes = \"30ms\"");
    EXPECT_EQ(slow.takes, std::chrono::milliseconds{30});
    EXPECT_EQ(slow.until, twin::kForever);
    EXPECT_EQ(read<scenario::FullDisk>("kind = \"full-disk\"\nuntil = \"2ms\"").until, 2 * kMs);
}

TEST(ScenarioAgentFaults, SlowAndSilentDevices)
{
    const auto slow = read<scenario::SlowWrites>("kind = \"slow-writes\"\ntakes = \"30ms\"\nuntil = \"1s\"");
    EXPECT_EQ(slow.takes, std::chrono::milliseconds{30});
    EXPECT_EQ(slow.until, 1'000 * kMs);
    const auto late = read<scenario::DelayWrites>("kind = \"delay-writes\"\ntakes = \"40ms\"");
    EXPECT_EQ(late.takes, std::chrono::milliseconds{40});
    EXPECT_EQ(late.until, twin::kForever);
    EXPECT_EQ(read<scenario::HangDevice>("kind = \"hang-device\"\nuntil = \"2ms\"").until, 2 * kMs);
    EXPECT_EQ(read<scenario::LoseNotices>("kind = \"lose-notices\"\nuntil = \"2ms\"").until, 2 * kMs);
    const auto mixed = read<scenario::DelayNotices>(
        "kind = \"delay-notices\"\ntakes = \"30ms\"\ntwice = true\nseed = 7\nuntil = \"2ms\"");
    EXPECT_EQ(mixed.takes, std::chrono::milliseconds{30});
    EXPECT_TRUE(mixed.twice);
    EXPECT_EQ(mixed.seed, 7U);
    EXPECT_EQ(mixed.until, 2 * kMs);
    EXPECT_FALSE(read<scenario::DelayNotices>("kind = \"delay-notices\"\ntakes = \"30ms\"").twice);
}

TEST(ScenarioAgentFaults, WritesAndReadBacks)
{
    const auto once = read<scenario::FailWrites>("kind = \"fail-writes\"");
    EXPECT_EQ(once.how, FaultyDevice::Fault::fail);
    EXPECT_EQ(once.spell.calls, 1U);
    EXPECT_EQ(once.spell.until, twin::kForever);
    const auto more = read<scenario::FailWrites>("kind = \"fail-writes\"\nhow = \"late\"\ncalls = 3");
    EXPECT_EQ(more.how, FaultyDevice::Fault::answer_late);
    EXPECT_EQ(more.spell.calls, 3U);
    const auto lie = read<scenario::LieInReadBack>("kind = \"lie\"\nshows = \"drop\"\nuntil = \"5ms\"");
    EXPECT_EQ(lie.shown, watchdog::Treatment::drop);
    EXPECT_GT(lie.spell.calls, 1'000'000U);
    EXPECT_EQ(lie.spell.until, 5 * kMs);
}

TEST(ScenarioAgentFaults, OrdersAndPolicies)
{
    using Kind = watchdog::Order::Kind;
    const std::pair<std::string, Kind> orders[]{{"mitigate", Kind::mitigate},
                                                {"release", Kind::release},
                                                {"repaired", Kind::repaired},
                                                {"red-switch-on", Kind::red_switch_on},
                                                {"red-switch-off", Kind::red_switch_off},
                                                {"stop", Kind::stop},
                                                {"stop-and-hold", Kind::stop_and_hold},
                                                {"hold", Kind::hold}};
    for (const auto& [word, kind] : orders) {
        const auto order = read<scenario::GiveOrder>("kind = \"order\"\nwhat = \"" + word + '"').order;
        EXPECT_EQ(order.kind, kind) << word;
        EXPECT_FALSE(order.target);
    }
    const std::string release = "kind = \"order\"\nwhat = \"release\"\nport = \"s0:Ethernet1\"\n";
    EXPECT_EQ(read<scenario::GiveOrder>(release).order.target, (Target{{DeviceId{2}, 1}, std::nullopt}));
    EXPECT_EQ(read<scenario::GiveOrder>(release + "priority = 3").order.target,
              (Target{{DeviceId{2}, 1}, Priority{3}}));

    const auto book = read<scenario::SetPolicy>("kind = \"set-policy\"\npreset = \"sonic\"\ndetect_ms = 500").book;
    ASSERT_EQ(book.policies.size(), 1U);
    EXPECT_EQ(book.policies[0].detect, std::chrono::milliseconds{500});
}

}  // namespace
}  // namespace petrel::codec

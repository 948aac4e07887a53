// A Slingshot switch of the twin: the agent goes from the alert through squeeze and PCP off to the revert while the
// link stays up. The scenario's log and port errors show the same sequence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/scenario/reader.hpp"
#include "fabric/port_errors.hpp"
#include "lab/agent_in_twin_fabric.hpp"
#include "lab/experiment.hpp"
#include "lab/switch_log.hpp"
#include "support/golden.hpp"
#include "wire/pause_log.hpp"

namespace petrel::test {
namespace {

using testing::ElementsAre;
using twin::Drop;

AgentInTwin::Options slingshot()
{
    AgentInTwin::Options options;
    options.slingshot = true;
    options.traits.pause_limit = std::chrono::milliseconds{100};
    return options;
}

struct StormedSlingshot {
    explicit StormedSlingshot(twin::Setup setup = one_switch())
        : twin{build(std::move(setup))}, agent{agent_on(*twin, kSwitch, book("pause-too-long"), slingshot())}
    {
        stop_pipeline(*twin, kSick, kFault);
    }
    const twin::PortRegisters& registers() const { return twin->switch_view(kSwitch).registers(0); }

    std::unique_ptr<twin::Twin> twin;
    std::unique_ptr<AgentInTwin> agent;
    twin::PortRegisters before{registers()};
};

TEST(SlingshotInTwin, AlertSqueezePcpOffMonitorRevertAndTheLinkStaysUp)
{
    StormedSlingshot s;
    EXPECT_LT(delivered(*s.twin, kVictim, 90 * kMs, 140 * kMs), kPacketsIn100ms / 10);  // paused because of h0
    EXPECT_EQ(s.registers(), s.before);

    EXPECT_GT(delivered(*s.twin, kVictim, 200 * kMs, 300 * kMs), kPacketsIn100ms);
    ASSERT_THAT(kinds_of(*s.agent), ElementsAre("pause_too_long"));
    EXPECT_GE(ms(s.agent->events()[0].at), 50 + 100);
    EXPECT_LE(ms(s.agent->events()[0].at), 50 + kFreezes + 100 + 10);
    EXPECT_EQ(s.agent->events()[0].target, port_to(kSwitch, 0));
    EXPECT_EQ(s.registers().max_frame_bytes, 63);
    EXPECT_EQ(s.registers().pause_rx, 0);
    auto others = s.before;
    others.max_frame_bytes = 63;
    others.pause_rx = 0;
    EXPECT_EQ(s.registers(), others);
    const auto dropped = s.twin->totals().drops[Drop::frame_size];
    EXPECT_GT(dropped, 0U);

    s.twin->run_until(2'000 * kMs);  // h0 continues to pause, so the mitigation stays
    EXPECT_THAT(kinds_of(*s.agent), ElementsAre("pause_too_long"));
    EXPECT_GT(s.twin->totals().drops[Drop::frame_size], dropped);
    EXPECT_TRUE(s.twin->switch_view(kSwitch).link_up(0));
    EXPECT_EQ(s.twin->switch_view(kSwitch).epoch(0), 1U);
    EXPECT_NE(s.twin->switch_view(kSwitch).pause_timeout(0, s.twin->now()), 0);

    heal_pipeline(*s.twin, kSick, 2'000 * kMs);
    s.twin->run_until(2'100 * kMs);
    ASSERT_THAT(kinds_of(*s.agent), ElementsAre("pause_too_long", "pause_too_long_cleared"));
    EXPECT_LE(ms(s.agent->events()[1].at), 2'000 + kFreezes + 2 * 10);
    EXPECT_EQ(s.registers(), s.before);
    EXPECT_TRUE(s.twin->switch_view(kSwitch).link_up(0));
    EXPECT_GT(delivered(*s.twin, kToSick, 2'100 * kMs, 2'200 * kMs), kPacketsIn100ms);
    const auto drops = s.twin->totals().drops;
    EXPECT_EQ(drops.total(), drops[Drop::frame_size]);
}

TEST(SlingshotInTwin, CountsDiscardedFramesWhileTreated)
{
    StormedSlingshot s;
    s.twin->run_until(1'000 * kMs);
    const auto& stats = s.agent->agent()->watchdog().stats(Slot{0}, s.agent->events()[0].at);
    EXPECT_GT(stats.tx_drop, kPacketsIn100ms);
    EXPECT_LE(stats.tx_ok, 5U);
}

TEST(SlingshotInTwin, EqualsTheTwinsOwnDevice)
{
    StormedSlingshot s;
    auto twin = build(one_switch());
    auto options = slingshot();
    options.slingshot = false;
    const auto agent = agent_on(*twin, kSwitch, book("pause-too-long"), options);
    stop_pipeline(*twin, kSick, kFault);
    for (auto* one : {s.twin.get(), twin.get()}) {
        heal_pipeline(*one, kSick, 500 * kMs);
        one->run_until(700 * kMs);
    }
    EXPECT_EQ(s.twin->totals().digest, twin->totals().digest);
}

TEST(SlingshotInTwin, AGlobalPauseIsHeededAgainForAllAfterIt)
{
    auto setup = one_switch();
    setup.switch_profiles[0].pause.global = true;
    setup.nic_profiles[0].pause.global = true;
    StormedSlingshot s{std::move(setup)};
    heal_pipeline(*s.twin, kSick, 500 * kMs);
    s.twin->run_until(400 * kMs);
    EXPECT_EQ(s.registers().pause_rx, 0);
    s.twin->run_until(600 * kMs);
    EXPECT_EQ(s.registers(), s.before);
}

TEST(SlingshotInTwin, ADeathBetweenTheRegistersOfASqueezeLeavesOneWrittenAndTheNextAgentCompletesIt)
{
    StormedSlingshot s;
    s.agent->kill(60 * kMs, {scenario::KillAgent::When::halfway, {}});
    s.twin->run_until(500 * kMs);
    EXPECT_EQ(s.agent->agent(), nullptr);
    auto half = s.before;
    half.max_frame_bytes = 63;
    EXPECT_EQ(s.registers(), half);

    s.agent->start(500 * kMs);
    s.twin->run_until(1'000 * kMs);
    EXPECT_EQ(s.registers().max_frame_bytes, 63);
    EXPECT_EQ(s.registers().pause_rx, 0);

    heal_pipeline(*s.twin, kSick, 1'000 * kMs);
    s.twin->run_until(1'500 * kMs);
    EXPECT_EQ(s.registers(), s.before);
}

TEST(SlingshotInTwin, ASqueezeThatFailsBetweenTheRegistersIsTriedAgain)
{
    StormedSlingshot s;
    s.agent->faults().next(device::FaultyDevice::Call::apply, device::FaultyDevice::Fault::fail_halfway);
    s.twin->run_until(1'000 * kMs);
    EXPECT_TRUE(s.agent->faults().done());
    EXPECT_EQ(s.registers().max_frame_bytes, 63);
    EXPECT_EQ(s.registers().pause_rx, 0);
    heal_pipeline(*s.twin, kSick, 1'000 * kMs);
    s.twin->run_until(1'500 * kMs);
    EXPECT_EQ(s.registers(), s.before);
}

TEST(SlingshotScenario, TheLogEqualsThePortErrors)
{
    const auto file = std::filesystem::path{PETREL_TEST_DATA}.parent_path() / "scenarios" / "pause-too-long.toml";
    auto scenario = codec::read_scenario(content(file), file.filename().string());
    ASSERT_TRUE(scenario.has_value());
    auto experiment = lab::Experiment::make(std::move(*scenario));
    ASSERT_TRUE(experiment.has_value());
    (*experiment)->run_until(3'000 * kMs);

    std::string log;
    fabric::PortErrors view;
    for (const auto& reported : (*experiment)->new_events()) {
        for (const auto& line : log_lines(reported)) {
            const auto text = build(line);
            log += text + '\n';
            EXPECT_EQ(wire::parse_log_line(text), line);
            EXPECT_TRUE(wire::pause_message(line).has_value()) << text;  // readers of such logs can parse it
        }
        const WallTime at{std::chrono::microseconds{whole_us(reported.event->at)}};
        if (const auto event = fabric::port_event(*reported.event, 1, at)) {
            view.put(reported.watchlist->inventory.ports[reported.event->target.port.index].xname, *event);
        }
    }
    expect_golden(golden("lab") / "pause-too-long-syslog.txt", log);

    ASSERT_THAT(view.ports(), ElementsAre("x0c0r4j3p1"));
    const auto errors = view.errors("x0c0r4j3p1");
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].cause, link::kPauseTooLongFromPeer);
    EXPECT_EQ(errors[0].times, 1U);
    EXPECT_EQ(errors[0].closed, fabric::PortErrorRecord::Closed::by_event);
    // The pause begins a few ms after 200 and lasts until the reboot at 1500; the limit is 100 ms, the poll 10 ms.
    EXPECT_GE(errors[0].opened_at, WallTime{std::chrono::milliseconds{300}});
    EXPECT_LE(errors[0].opened_at, WallTime{std::chrono::milliseconds{330}});
    EXPECT_GE(errors[0].closed_at, WallTime{std::chrono::milliseconds{1'500}});
    EXPECT_LE(errors[0].closed_at, WallTime{std::chrono::milliseconds{1'520}});
}

}  // namespace
}  // namespace petrel::test

// An agent on a NIC of Linux with the policy rdma-nic: a receive pipeline that is stuck, what must not be taken for
// one, restarts, and other programs. The NIC and the disk outlive the process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/linux/linux_device.hpp"
#include "device_linux/fake_kernel.hpp"
#include "support/simulated_runner.hpp"
#include "support/world.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using device::linux_nic::LinuxDevice;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using watchdog::EventKind;
using watchdog::Order;
using watchdog::Treatment;

constexpr DeviceId kNicId{0};
constexpr Target kNicPort{{kNicId, 0}, std::nullopt};

constexpr Instant at(std::chrono::milliseconds when) { return Instant{when}; }

// One process of an agent. It finds the memory of the process before.
class Process {
public:
    Process(FakeNic& nic, lab::SimulatedDisk& disk, device::ManualClock& clock)
        : runner_(clock, {.open = [this, &nic, &clock] { return open(nic, clock); },
                          .policies = book_of(watchdog::find_preset("rdma-nic")->policy),
                          .memory = std::make_unique<lab::DiskMemory>(disk, [] {})})
    {}

    void run_until(Instant end) { runner_.run_until(end); }
    void stop() { runner_.order({Order::Kind::stop, std::nullopt, "test"}); }
    void release() { runner_.order({Order::Kind::release, kNicPort, "test"}); }
    const LinuxDevice& device() const { return *device_; }
    std::size_t openings() const { return openings_; }

    std::vector<std::string> events() const
    {
        std::vector<std::string> kinds;
        for (const auto& event : runner_.events) {
            kinds.emplace_back(name(event.kind));
        }
        return kinds;
    }

    std::vector<std::string> notes;

private:
    Result<device::Device*> open(FakeNic& nic, device::ManualClock& clock)
    {
        ++openings_;
        return LinuxDevice::open(kNicId, nic.interface, std::make_unique<FakeKernel>(nic), clock,
                                 [this](const std::string& note) { notes.push_back(note); })
            .map([this](std::unique_ptr<LinuxDevice> opened) -> device::Device* {
                device_ = std::move(opened);
                return device_.get();
            });
    }

    std::unique_ptr<LinuxDevice> device_;
    std::size_t openings_{};
    SimulatedRunner runner_;
};

struct Host {
    Process process() { return {nic, disk, clock}; }

    device::ManualClock clock;
    FakeNic nic{clock};
    lab::SimulatedDisk disk;
};

TEST(LinuxAgent, TurnsPfcOffOnceWhenTheReceivePipelineIsStuck)
{
    Host host;
    host.nic.bounces = true;
    auto process = host.process();
    process.run_until(at(1s));
    EXPECT_THAT(host.nic.writes, IsEmpty());

    host.nic.set(false, true);
    process.run_until(at(1090ms));
    EXPECT_THAT(host.nic.writes, IsEmpty()) << "before 100 ms of proof";
    process.run_until(at(1130ms));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched"));
    EXPECT_EQ(host.disk.journaled().size(), 1U);

    process.run_until(at(2s));
    host.nic.set(true, false);  // works again; it was not repaired
    process.run_until(at(600s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched"));
    EXPECT_EQ(process.openings(), 1U);
}

TEST(LinuxAgent, AReleasePutsBackWhatWasConfigured)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    host.nic.set(true, false);
    process.release();
    process.run_until(at(2s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x08"));
    EXPECT_EQ(host.nic.pfc, (nic::Pfc{0b0000'1000, 8, false, 0}));
    EXPECT_EQ(host.disk.journaled().size(), 0U);
}

TEST(LinuxAgent, ALatchOutlivesTheProcessWithoutAnotherWrite)
{
    Host host;
    {
        auto process = host.process();
        host.nic.set(false, true);
        process.run_until(at(1s));
    }
    auto next = host.process();
    next.run_until(at(60s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    host.nic.set(true, false);
    next.release();
    next.run_until(at(61s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x08"));
}

TEST(LinuxAgent, AStopDoesNotEndALatch)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    process.stop();
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    EXPECT_EQ(host.disk.journaled().size(), 1U);
}

TEST(LinuxAgent, ALatchIsAppliedAgainAfterAReloadOfTheDriver)
{
    Host host;
    {
        auto process = host.process();
        host.nic.set(false, true);
        process.run_until(at(1s));
    }
    host.nic.pfc->enabled = 0b0000'1000;
    host.nic.link = {9, 1, true};
    auto next = host.process();
    next.run_until(at(2s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x00"));
}

TEST(LinuxAgent, ALatchIsAppliedAgainIfAnotherProgramTurnsPfcOn)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    host.nic.grow();
    host.nic.pfc->enabled = 0b0000'1000;
    process.run_until(at(30s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x00"));
    EXPECT_EQ(host.nic.pfc->enabled, 0);
    EXPECT_EQ(process.openings(), 2U);
}

TEST(LinuxAgent, WithoutItsMemoryAnAgentPutsBackWhatTheJournalHolds)
{
    Host host;
    {
        auto process = host.process();
        host.nic.set(false, true);
        process.run_until(at(1s));
    }
    host.nic.set(true, false);
    host.disk.state.clear();
    auto next = host.process();
    next.run_until(at(10s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x08"));
    EXPECT_EQ(host.disk.journaled().size(), 0U);
}

TEST(LinuxAgent, TurnsPauseOfTheLinkOffWherePfcIsNotUsed)
{
    Host host;
    host.nic.pfc = std::nullopt;
    host.nic.pause = nic::LinkPause{false, true, true};
    auto process = host.process();
    process.run_until(at(1s));
    host.nic.set(false, true);
    process.run_until(at(2s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pause tx off"));
    EXPECT_TRUE(host.nic.pause->receives);
    process.release();
    process.run_until(at(2050ms));
    EXPECT_EQ(host.nic.pause, (nic::LinkPause{false, true, true}));
}

TEST(LinuxAgent, ShortStallsAreNoStorm)
{
    Host host;
    auto process = host.process();
    for (auto now = 250ms; now < 5s; now += 250ms) {
        process.run_until(at(now));
        host.nic.set(false, true);
        process.run_until(at(now + 60ms));
        host.nic.set(true, false);
    }
    EXPECT_THAT(process.events(), IsEmpty());
    EXPECT_THAT(host.nic.writes, IsEmpty());
}

TEST(LinuxAgent, PauseWithProgressAndIdleNicsAreNoStorm)
{
    for (const bool pauses : {true, false}) {
        Host host;
        host.nic.set(pauses, pauses);
        auto process = host.process();
        process.run_until(at(10s));
        EXPECT_THAT(process.events(), IsEmpty());
        EXPECT_THAT(host.nic.writes, IsEmpty());
    }
}

TEST(LinuxAgent, ANicWhosePauseIsOffByConfigurationIsLeftAlone)
{
    Host host;
    host.nic.pfc->enabled = 0;
    auto process = host.process();
    process.run_until(at(5s));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    EXPECT_EQ(host.disk.journaled().size(), 0U);
}

TEST(LinuxAgent, ReportsADriverThatRefuses)
{
    Host host;
    host.nic.refuses = ErrorKind::unsupported;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    EXPECT_THAT(process.events(), Contains("mitigation_failed"));
    EXPECT_EQ(host.nic.pfc->enabled, 0b0000'1000);
}

TEST(LinuxAgent, ReportsADriverThatIgnoresTheWrite)
{
    Host host;
    host.nic.ignores = true;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    EXPECT_THAT(process.events(), Contains("mitigation_failed"));
}

TEST(LinuxAgent, ADriverWithOldCountersDetectsLaterAndNotWrongly)
{
    Host host;
    host.nic.driver = "bnxt_en";
    host.nic.refresh = 1s;
    auto process = host.process();
    host.nic.set(true, true);
    process.run_until(at(20s));
    EXPECT_THAT(process.events(), IsEmpty()) << "it pauses and receives";

    host.nic.set(false, true);
    process.run_until(at(21900ms));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    process.run_until(at(26s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
}

// Every other poll reads the counters of the poll before. They are no sign that the pause has ended.
TEST(LinuxAgent, CountersThatWereReadBeforeAreNoNewSample)
{
    Host host;
    host.nic.driver = "bnxt_en";
    host.nic.refresh = 1100ms;
    auto process = host.process();
    process.run_until(at(10s));
    host.nic.set(false, true);
    process.run_until(at(25s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
}

TEST(LinuxAgent, MonitorsAnUnknownDriverOnlyAndSaysSo)
{
    Host host;
    host.nic.driver = "veth";
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(5s));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    EXPECT_THAT(process.notes, ElementsAre(HasSubstr("monitored only")));
    const auto unseen = process.device().unseen_queues();
    ASSERT_EQ(unseen.size(), 1U);
    EXPECT_EQ(unseen[0].queue, "eth0");
    EXPECT_THAT(unseen[0].why, HasSubstr("'veth' are unknown"));
}

TEST(LinuxAgent, AMissingInterfaceFailsTheLook)
{
    Host host;
    auto process = host.process();
    process.run_until(at(1s));
    host.nic.interface = "eth1";
    process.run_until(at(2s));
    EXPECT_THAT(process.events(), Not(Contains("nic_latched")));
    EXPECT_THAT(host.nic.writes, IsEmpty());
}

}  // namespace
}  // namespace petrel::test

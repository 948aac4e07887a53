// The links of a device in its runner: when they are read, and what is stored, published and reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/link_history.hpp"
#include "link/reasons.hpp"
#include "support/linked_port.hpp"
#include "support/simulated_runner.hpp"
#include "support/world.hpp"

namespace petrel::runner {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using watchdog::EventKind;
using Kind = watchdog::Notice::Kind;

// What a process stores, for the next one.
struct StoredLinks {
    std::string text{"{\"petrel_link_history\":2}\n"};
    bool full{};
};

class LinksInMemory final : public LinkMemory {
public:
    explicit LinksInMemory(StoredLinks& stored)
        : stored_(stored), remembered_(codec::read_link_history(stored.text, "links").value())
    {}
    const link::NamedHistories& remembered() const override { return remembered_; }
    const std::string& damage() const override { return damage_; }
    Result<void> append(std::string_view lines, const std::function<std::string()>&) override
    {
        if (stored_.full) {
            return tl::unexpected(Error{ErrorKind::exhausted, "the disk is full"});
        }
        stored_.text += lines;
        return {};
    }

private:
    StoredLinks& stored_;
    link::NamedHistories remembered_;
    std::string damage_;
};

class DeviceLinks : public testing::Test {
protected:
    DeviceLinks() { begin(); }

    void begin()
    {
        runner.reset();
        runner.emplace(clock,
                       test::SimulatedRunner::Setup{.open = [this] { return &device; },
                                                    .policies = test::book_of(watchdog::find_preset("sonic")->policy),
                                                    .memory = std::make_unique<lab::DiskMemory>(disk, [] {}),
                                                    .links = std::make_unique<LinksInMemory>(stored),
                                                    .takes =
                                                        [this](JobKind job, Instant) {
                                                            return job == JobKind::look    ? look_takes
                                                                   : job == JobKind::other ? others_take
                                                                                           : Duration{};
                                                        }});
    }
    void run_until(Duration end) { runner->run_until(Instant{end}); }
    std::vector<std::string> published() const
    {
        std::vector<std::string> texts;
        for (const auto& event : runner->events) {
            texts.push_back(std::string{name(event.kind)} + ' ' + event.by);
        }
        return texts;
    }
    std::ptrdiff_t logged(std::string_view event) const
    {
        return std::ranges::count(runner->logged, event, &LogLine::event);
    }
    control::LinkReport report(bool history = true) { return runner->device_runner().links("", history).at(0); }

    device::ManualClock clock;
    lab::SimulatedDisk disk;
    StoredLinks stored;
    Duration look_takes{};
    Duration others_take{};
    Result<link::LinkSample> sample{link::LinkSample{"", true, false, 0, {}, {}}};
    test::LinkedPort device{[this] { return sample; }};
    std::optional<test::SimulatedRunner> runner;
};

TEST_F(DeviceLinks, AreReadOnceASecondAndAfterANotice)
{
    run_until(999ms);
    EXPECT_EQ(device.link_reads, 1);
    run_until(1s);
    EXPECT_EQ(device.link_reads, 2);
    run_until(1200ms);
    sample->up = false;
    device.notify(Kind::link_down, clock.now().mono);
    run_until(1200ms);
    EXPECT_EQ(device.link_reads, 3);
    EXPECT_THAT(published(), ElementsAre("link_down event 1: 36 Neighbor Unknown"));
    EXPECT_EQ(runner->events[0].link, (watchdog::LinkReason{1, 36, std::nullopt, 36, {}, {}}));
    sample->up = true;
    device.notify(Kind::link_up, clock.now().mono);
    run_until(2199ms);
    EXPECT_EQ(device.link_reads, 4) << "a second after the last time";
    EXPECT_THAT(published(), SizeIs(2));
    run_until(2200ms);
    EXPECT_EQ(device.link_reads, 5);
}

TEST_F(DeviceLinks, AreReadBetweenLooksOnly)
{
    look_takes = 50ms;
    run_until(310ms);
    const auto reads = device.link_reads;
    device.notify(Kind::link_down, clock.now().mono);
    run_until(320ms);
    EXPECT_EQ(device.link_reads, reads);
    EXPECT_FALSE(device.was_woken()) << "the look ends without new counters";
    run_until(350ms);
    EXPECT_EQ(device.link_reads, reads + 1);
}

// A read of all links may take long. The mitigation of a storm that the look before it has found does not wait for it.
TEST_F(DeviceLinks, AreReadBehindTheCommandsOfALook)
{
    device::SyntheticSwitch::Options options;
    options.capabilities.reads_links = true;
    device::SyntheticSwitch storming{options, clock};
    storming.pause(storming.queue(0, Priority{3}), {{Instant{}, Instant{1h}}});
    std::vector<JobKind> jobs;
    test::SimulatedRunner with_storm{
        clock, test::SimulatedRunner::Setup{.open = [&] { return &storming; },
                                            .policies = test::book_of(watchdog::find_preset("sonic")->policy),
                                            .memory = std::make_unique<lab::DiskMemory>(disk, [] {}),
                                            .takes =
                                                [&](JobKind job, Instant) {
                                                    jobs.push_back(job);
                                                    return job == JobKind::look ? Duration{10ms} : Duration{};
                                                }}};
    for (Instant at{}; std::ranges::find(jobs, JobKind::command) == jobs.end() && at < Instant{2s}; at += 5ms) {
        with_storm.run_until(at);
        if (with_storm.agent().watchdog().watchlist().rows.size() != 0 &&
            with_storm.device_runner().intake() == nullptr) {
            storming.notify({Kind::link_up, storming.port(0), at});
        }
    }
    const auto first = std::ranges::find(jobs, JobKind::command);
    ASSERT_NE(first, jobs.end());
    EXPECT_EQ(*std::prev(first), JobKind::look);
    with_storm.run_until(clock.now().mono);
    EXPECT_THAT(jobs, testing::Contains(JobKind::other)) << "the links are read all the same";
}

TEST_F(DeviceLinks, ANoticeDuringAReadIsFollowedByAnother)
{
    run_until(950ms);
    others_take = 20ms;
    run_until(1010ms);
    device.notify(Kind::link_down, clock.now().mono);
    run_until(1080ms);
    EXPECT_EQ(device.link_reads, 3);
}

TEST_F(DeviceLinks, ChangesThatAKilledProcessHasOnlyStoredArePublishedOnce)
{
    run_until(100ms);
    sample->up = false;
    run_until(1s);
    const auto before = disk;
    sample->up = true;
    run_until(2s);
    runner.reset();
    disk = before;  // the process was killed before it stored and published the event
    begin();
    run_until(2100ms);
    EXPECT_THAT(published(), ElementsAre("link_up event 1: 36 Neighbor Unknown"));
    begin();
    run_until(2200ms);
    EXPECT_THAT(published(), IsEmpty());
}

TEST_F(DeviceLinks, ChangesBeforeTheEventsThatAreKeptAreNotPublishedAgain)
{
    run_until(100ms);
    sample->up = false;
    run_until(1s);
    runner.reset();
    disk.lose();
    begin();
    run_until(2s);
    runner->order({watchdog::Order::Kind::clear, std::nullopt, "test"});
    begin();
    run_until(3s);
    EXPECT_THAT(published(), IsEmpty());
}

TEST_F(DeviceLinks, AReadThatFailsIsLoggedOnceAndRepeated)
{
    const auto fails = tl::unexpected(Error{ErrorKind::unreachable, "the bus is busy"});
    const auto works = sample;
    sample = fails;
    run_until(3s);
    EXPECT_EQ(device.link_reads, 4);
    EXPECT_THAT(published(), IsEmpty());
    EXPECT_EQ(logged("links_not_read"), 1);
    sample = works;
    run_until(4s);
    sample = fails;
    run_until(5s);
    EXPECT_EQ(logged("links_not_read"), 2);
}

TEST_F(DeviceLinks, AChangeThatCannotBeStoredIsPublishedAndLogged)
{
    run_until(500ms);
    stored.full = true;
    sample->up = false;
    run_until(1s);
    EXPECT_THAT(published(), SizeIs(1));
    EXPECT_EQ(logged("link_history_not_written"), 1);
}

TEST_F(DeviceLinks, ALinkThatIsUpWhenFirstSeenIsStoredAndNotPublished)
{
    run_until(100ms);
    EXPECT_THAT(published(), IsEmpty());
    EXPECT_THAT(stored.text, HasSubstr(R"({"port":"Ethernet0","forgotten":0})"));
    begin();
    sample->up = false;
    run_until(200ms);
    EXPECT_THAT(published(), SizeIs(1)) << "it went down while no process ran";
}

TEST_F(DeviceLinks, TheReportShowsTheOldestEventThatIsNotAcknowledged)
{
    run_until(100ms);
    sample->downs = 3;
    run_until(1s);
    sample->downs = 0;
    auto shown = report();
    ASSERT_TRUE(shown.unacknowledged);
    EXPECT_EQ(shown.unacknowledged->seq, 1U);
    EXPECT_EQ(shown.suppressed, 2U);
    EXPECT_EQ(shown.last_seq, 3U);
    EXPECT_THAT(shown.events, SizeIs(3));
    EXPECT_EQ(shown.events[0].nldr, std::nullopt) << "the port receives no reasons";
    EXPECT_FALSE(shown.quarantined);
    EXPECT_THAT(report(false).events, IsEmpty());
    EXPECT_THAT(runner->device_runner().links("Ethernet4", true), IsEmpty());

    EXPECT_EQ(runner->device_runner().acknowledge_link("Ethernet0", 2), 2U);
    EXPECT_THAT(runner->device_runner().acknowledge_link("Ethernet0", 2).error().what, HasSubstr("no event 2"));
    begin();
    run_until(1100ms);
    shown = report();
    ASSERT_TRUE(shown.unacknowledged) << "the acknowledgement is stored";
    EXPECT_EQ(shown.unacknowledged->seq, 3U);
    EXPECT_EQ(shown.suppressed, 0U);

    sample->downs = 22;
    run_until(2100ms);
    EXPECT_TRUE(report().quarantined);
}

TEST_F(DeviceLinks, TheCauseIsThatOfTheDeviceUnlessThePortIsDisabled)
{
    run_until(100ms);
    sample->up = false;
    sample->code = link::RawCode{link::list_named("sai.port_error").value(), 0x800};
    run_until(1s);
    EXPECT_EQ(report().unacknowledged->cause, 0x0103U);
    EXPECT_EQ(report().unacknowledged->list, "sai.port_error");
    sample->up = true;
    run_until(2s);
    sample->up = false;
    sample->disabled = true;
    run_until(3s);
    EXPECT_EQ(report().events.at(1).cause, link::kSwitchManagement);
}

TEST_F(DeviceLinks, TheCauseIsThatOfTheNeighbourIfThisEndHasNone)
{
    run_until(100ms);
    sample->up = false;
    sample->code = link::RawCode{link::list_named("opa.ldr").value(), 0};
    sample->nldr = 39;
    run_until(1s);
    EXPECT_EQ(report().unacknowledged->ldr, 0);
    EXPECT_EQ(report().unacknowledged->cause, 39U);
    EXPECT_THAT(published(), ElementsAre("link_down event 1: 0 None, neighbour 39 FM Bounce"));
}

}  // namespace
}  // namespace petrel::runner

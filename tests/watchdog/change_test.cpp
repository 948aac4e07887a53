// A new configuration while storms go on: state is carried over by name, and treatments that are no longer wanted are
// restored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::book_of;
using test::Driver;
using test::preset;
using test::Story;

Policy sonic(Treatment action)
{
    auto policy = preset("sonic");
    policy.action = action;
    return policy;
}

void storm_for(Driver& d, std::int64_t ms)
{
    d.storm();
    d.run_ms(ms);
    d.story();
}

TEST(Change, TheSameConfigurationChangesNothing)
{
    Driver d{preset("sonic")};
    storm_for(d, 1'000);
    d.change(book_of(preset("sonic")));
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(), Phase::mitigated);
}

TEST(Change, ProofSoFarCounts)
{
    Driver d{preset("sonic")};
    storm_for(d, 300);
    d.change(book_of(preset("sonic")));
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3"}));
}

TEST(Change, ProofByAnotherCriterionDoesNotCount)
{
    Driver d{preset("sonic")};
    storm_for(d, 300);
    auto progress = preset("progress");
    progress.needs_backlog = false;
    d.change(book_of(progress));
    d.run_ms(300);
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"700 storm_detected Ethernet0:3 proven", "700 do drop Ethernet0:3"}));
}

TEST(Change, ShorterT0AppliesAtTheNextLook)
{
    auto slow = preset("sonic");
    slow.detect = milliseconds{5'000};
    Driver d{slow};
    storm_for(d, 1'000);
    d.change(book_of(preset("sonic")));
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"1100 storm_detected Ethernet0:3 proven", "1100 do drop Ethernet0:3"}));
}

TEST(Change, ShorterT1AppliesToTheQuietSoFar)
{
    Driver d{preset("sonic")};
    storm_for(d, 450);
    d.calm();
    d.run_ms(1'050);  // quiet since the read at 500 ms
    auto quick = preset("sonic");
    quick.restore = milliseconds{1'100};
    d.change(book_of(quick));
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"1600 do none Ethernet0:3", "1600 storm_restored Ethernet0:3 quiet"}));
}

TEST(Change, LongerT1Applies)
{
    Driver d{preset("sonic")};
    storm_for(d, 450);
    d.calm();
    d.run_ms(1'050);
    auto slow = preset("sonic");
    slow.restore = milliseconds{3'000};
    d.change(book_of(slow));
    d.run_ms(1'900);
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"3500 do none Ethernet0:3", "3500 storm_restored Ethernet0:3 quiet"}));
}

// --- the action

TEST(ChangeAction, AnotherTreatmentReplacesTheOne)
{
    Driver d{preset("sonic")};
    storm_for(d, 1'000);
    d.change(book_of(sonic(Treatment::ignore_pause)));
    EXPECT_EQ(d.story(), Story{"1000 do ignore_pause Ethernet0:3"});
    EXPECT_EQ(d.phase(), Phase::mitigated);
    EXPECT_EQ(d.in_effect(), Treatment::ignore_pause);
}

TEST(ChangeAction, FromQueueToPortAndBack)
{
    auto policy = preset("rdma-switch");
    policy.needs_backlog = false;
    policy.action = Treatment::drop;
    Driver d{policy};
    storm_for(d, 250);
    policy.action = Treatment::lossless_off;
    d.change(book_of(policy));
    EXPECT_THAT(d.story(), testing::UnorderedElementsAre("250 do none Ethernet0:3", "250 do lossless_off Ethernet0"));
    policy.action = Treatment::drop;
    d.change(book_of(policy));
    EXPECT_THAT(d.story(), testing::UnorderedElementsAre("250 do drop Ethernet0:3", "250 do none Ethernet0"));
    EXPECT_EQ(d.in_effect(), Treatment::drop);
}

TEST(ChangeAction, ToAlertUndoesTheMitigation)
{
    Driver d{preset("sonic")};
    storm_for(d, 1'000);
    d.change(book_of(sonic(Treatment::none)));
    EXPECT_EQ(d.story(), (Story{"1000 do none Ethernet0:3", "1000 storm_restored Ethernet0:3 reconfigured"}));
    d.run_ms(400);
    EXPECT_EQ(d.story(), Story{"1400 storm_alert Ethernet0:3 proven"});
}

TEST(ChangeAction, FromAlertActsOnAStormThatGoesOn)
{
    Driver d{sonic(Treatment::none)};
    storm_for(d, 1'000);
    ASSERT_EQ(d.phase(), Phase::alerted);
    d.change(book_of(preset("sonic")));
    d.run_ms(500);
    EXPECT_EQ(d.phase(), Phase::mitigated) << "T0 after the new action at the latest, the storm is acted on";
    EXPECT_EQ(d.in_effect(), Treatment::drop);
    const auto& evidence = d.last(EventKind::storm_detected).evidence;
    EXPECT_EQ(evidence.proven, milliseconds{400}) << "the evidence is that of the alert";
    EXPECT_EQ(evidence.limit, milliseconds{400});
}

TEST(ChangeAction, OrderedMitigationStays)
{
    Driver d{preset("sonic")};
    d.order(Order::Kind::mitigate, d.target());
    d.story();
    d.change(book_of(sonic(Treatment::none)));
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.in_effect(), Treatment::drop);
}

TEST(ChangeLatch, LatchStays)
{
    auto policy = preset("sonic");
    policy.latch_count = 1;
    Driver d{policy};
    storm_for(d, 400);
    d.change(book_of(policy));
    d.calm();
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(), Phase::latched);
}

TEST(ChangeLatch, StormsOfBeforeStillCount)
{
    auto policy = preset("sonic");
    policy.latch_count = 2;
    policy.latch_window = milliseconds{60'000};
    Driver d{policy};
    storm_for(d, 450);
    d.calm();
    d.run_ms(2'150);
    ASSERT_EQ(d.phase(), Phase::watching);
    d.change(book_of(policy));
    storm_for(d, 500);
    EXPECT_EQ(d.phase(), Phase::latched);
}

// --- which rows are watched

TEST(ChangeWatched, NoLongerWatchedIsUndone)
{
    Driver d{preset("sonic")};
    storm_for(d, 1'000);
    d.change({});
    EXPECT_EQ(d.story(), (Story{"1000 do none Ethernet0:3", "1000 storm_restored Ethernet0:3 reconfigured"}));
    EXPECT_EQ(d.phase(), Phase::off);
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{});
}

TEST(ChangeWatched, NoLongerWatchedUndoesOrdersAsWell)
{
    Driver d{preset("sonic")};
    d.order(Order::Kind::mitigate, d.target());
    d.story();
    d.change({});
    EXPECT_EQ(d.in_effect(), Treatment::none);
    EXPECT_EQ(d.phase(), Phase::off);
}

TEST(ChangeWatched, ALookWithoutNewCountersDecidesNothingWithAShorterT0)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(300);
    auto shorter = preset("sonic");
    shorter.detect = milliseconds{200};
    d.change(test::book_of(shorter));
    d.poll();
    EXPECT_EQ(d.story(), Story{}) << "the look would be the evidence, and it has nothing new";
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3"}));
    EXPECT_EQ(d.last(EventKind::storm_detected).evidence.looks, 1);
}

TEST(ChangeWatched, AQueueThatIsWatchedAgainStartsFromZero)
{
    Driver d{preset("sonic")};
    storm_for(d, 300);
    d.change({});
    d.run_ms(1'000);
    d.poll();
    d.change(book_of(preset("sonic")));
    d.run_ms(300);
    EXPECT_EQ(d.story(), Story{});
}

TEST(ChangeWatched, RestorationUnderwayIsFinished)
{
    Driver d{preset("sonic")};
    storm_for(d, 450);
    d.calm();
    d.answers(Verdict::failed);
    d.receive(Notice::Kind::link_down, d.target());
    d.change(book_of(preset("sonic")));
    EXPECT_EQ(d.phase(), Phase::restoring);
    d.answers(Verdict::confirmed);
    d.run_ms(1'000);
    EXPECT_EQ(d.phase(), Phase::watching);
    EXPECT_EQ(d.in_effect(), Treatment::none);
}

TEST(ChangeWatched, ProbeGoesOn)
{
    auto policy = preset("sonic");
    policy.probe = milliseconds{100};
    Driver d{policy};
    storm_for(d, 450);
    d.calm();
    d.run_ms(2'050);
    ASSERT_EQ(d.phase(), Phase::probing);
    d.run_ms(100);
    d.story();
    d.change(book_of(policy));
    d.run_ms(399);
    EXPECT_EQ(d.phase(), Phase::probing);
    d.run_ms(1);
    EXPECT_EQ(d.story(), Story{"3000 storm_restored Ethernet0:3 probe"});
}

// --- outcomes of commands in flight

TEST(ChangeUnderway, CommandWithoutAnswerIsGivenAgain)
{
    Driver d{preset("sonic")};
    d.stays_silent();
    storm_for(d, 400);
    d.change(book_of(preset("sonic")));
    EXPECT_EQ(d.story(), Story{"400 do drop Ethernet0:3"});
}

TEST(ChangeUnderway, AnswerToACommandOfBeforeDoesNotSettleAnotherOne)
{
    Driver d{preset("sonic")};
    d.stays_silent();
    storm_for(d, 400);
    const auto old = d.commands().back();
    d.change(book_of(sonic(Treatment::none)));
    ASSERT_EQ(d.story(), Story{"400 do none Ethernet0:3"});
    d.settle(old, {Verdict::confirmed, Treatment::drop, ""});
    EXPECT_EQ(d.phase(), Phase::restoring) << "the device has confirmed drop, not none";
    EXPECT_EQ(d.story(), Story{});
}

// --- another inventory

TEST(ChangeInventory, RowsAreFoundByName)
{
    auto inventory = test::small_inventory(2);
    Driver d{book_of(preset("sonic")), inventory};
    d.storm(1);
    d.run_ms(400);
    d.story();
    // A port is added in front: every number moves, the names stay.
    Inventory wider;
    wider.ports = {{"Ethernet100", "", std::nullopt}, inventory.ports[1], inventory.ports[0]};
    for (std::uint16_t port = 0; port < 3; ++port) {
        wider.rows.push_back(inventory.rows[0]);
        wider.rows.back().target.port.index = port;
    }
    d.change(book_of(preset("sonic")), wider, {test::FakeQueue{}, d.queues()[1], d.queues()[0]});
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(0), Phase::watching);
    EXPECT_EQ(d.phase(1), Phase::mitigated);
    EXPECT_EQ(d.in_effect(1), Treatment::drop);
    EXPECT_EQ(d.phase(2), Phase::watching);
    EXPECT_EQ(d.stats(1).detected, 1U);
    d.run_ms(50);
    d.calm(1);
    d.run_ms(2'050);
    EXPECT_EQ(d.story(), (Story{"3500 do none Ethernet4:3", "3500 storm_restored Ethernet4:3 quiet"}));
}

// --- rows that leave

// The first of two queues leaves the inventory, as when its priority is removed, and comes back.
class ComesBack : public testing::Test {
protected:
    ComesBack()
    {
        d.storm();
        d.run_ms(1'000);
        d.calm();
        d.run_ms(3'000);
        EXPECT_EQ(d.stats().detected, 1U);
        EXPECT_EQ(d.stats().restored, 1U);
        before = d.stats();
        auto without = inventory;
        without.rows.erase(without.rows.begin());
        d.change(book, without, {d.queue(1)});
    }

    watchdog::QueueStats come_back()
    {
        d.change(book, inventory, {test::FakeQueue{}, d.queue()});
        d.run_ms(1'000);
        return d.stats();
    }

    const watchdog::PolicyBook book = book_of(preset("sonic"));
    const watchdog::Inventory inventory = test::small_inventory(2);
    Driver d{book, inventory};
    watchdog::QueueStats before;
};

TEST_F(ComesBack, WithItsStatistics)
{
    d.run_ms(10'000);
    EXPECT_EQ(d.stats(), watchdog::QueueStats{}) << "those of the other queue";
    EXPECT_EQ(come_back(), before);
}

TEST_F(ComesBack, WithItsStatisticsAfterARestart)
{
    d.restart(book);
    d.run_ms(10'000);
    d.restart(book);
    EXPECT_EQ(come_back(), before);
    EXPECT_TRUE(d.dog().save(d.now()).departed.empty());
}

TEST_F(ComesBack, WithItsStatisticsInARestart)
{
    const auto saved = d.dog().save(d.now());
    Driver next{book, inventory};
    next.dog().load(saved, d.now());
    EXPECT_EQ(next.dog().stats(Slot{0}, d.now()), before);
}

TEST_F(ComesBack, WithoutStatisticsThatWereCleared)
{
    d.order(watchdog::Order::Kind::clear);
    EXPECT_EQ(come_back(), watchdog::QueueStats{});
}

TEST(ChangeInventory, RowsThatNeverComeBackFillNoMemory)
{
    auto inventory = test::small_inventory(2);
    Driver d{book_of(preset("sonic")), inventory};
    for (int i = 0; i != 5'000; ++i) {
        d.queue().pause(true, whole_us(d.now()));
        d.run_ms(200);
        inventory.ports[0].name = "Ethernet" + std::to_string(1000 + i);
        d.change(book_of(preset("sonic")), inventory, {test::FakeQueue{}, test::FakeQueue{}});
    }
    EXPECT_EQ(d.dog().save(d.now()).departed.size(), 4096U);
}

TEST(Leave, ClosesTheStormOfARowThatLeavesWithoutACommand)
{
    Driver d{preset("sonic"), 2};
    d.storm(0);
    d.storm(1);
    d.run_ms(400);
    d.story();
    d.leave(0);
    EXPECT_EQ(d.story(), Story{"400 storm_restored Ethernet0:3 reconfigured"});
    EXPECT_EQ(d.phase(1), Phase::mitigated);
}

TEST(Leave, SaysNothingAboutARowWithoutAStorm)
{
    Driver d{preset("sonic"), 2};
    d.leave(0);
    d.order(Order::Kind::red_switch_on);
    d.story();
    d.leave(1);
    EXPECT_EQ(d.story(), Story{});
}

TEST(Leave, ChangesNothingThatIsHeld)
{
    Driver d{preset("sonic")};
    detect(d);
    d.order(Order::Kind::stop_and_hold);
    d.story();
    d.leave(0);
    EXPECT_EQ(d.story(), Story{});
}

// --- the big red switch of the configuration

PolicyBook red(bool on)
{
    auto book = book_of(preset("sonic"));
    book.big_red_switch = on;
    return book;
}

TEST(ChangeRedSwitch, TakesAQueueThatWasOnlyAlerted)
{
    Driver d{sonic(Treatment::none)};
    storm_for(d, 1'000);
    auto book = book_of(sonic(Treatment::none));
    book.big_red_switch = true;
    d.change(book);
    EXPECT_EQ(d.in_effect(), Treatment::drop);
}

TEST(ChangeRedSwitch, OnMitigatesAndOffReleases)
{
    Driver d{preset("sonic")};
    d.change(red(true));
    EXPECT_EQ(d.in_effect(), Treatment::drop);
    d.change(red(true));
    EXPECT_EQ(d.in_effect(), Treatment::drop);
    d.change(red(false));
    EXPECT_EQ(d.in_effect(), Treatment::none) << "the configuration that threw the switch has taken it back";
}

TEST(ChangeRedSwitch, ASwitchSetByAnOrderStays)
{
    Driver d{preset("sonic")};
    d.order(Order::Kind::red_switch_on);
    d.change(red(false));
    EXPECT_EQ(d.in_effect(), Treatment::drop);
}

TEST(ChangeRedSwitch, DoesNotConfuseTheBudget)
{
    auto book = red(false);
    book.max_mitigated = 1;
    Driver d{book, test::small_inventory(3)};
    d.storm(0);
    d.run_ms(400);
    ASSERT_EQ(d.phase(0), Phase::mitigated);
    book.big_red_switch = true;
    d.change(book);
    d.order(Order::Kind::red_switch_off);
    d.calm(0);
    d.run_ms(3'000);
    d.storm(1);
    d.run_ms(400);
    EXPECT_EQ(d.phase(1), Phase::mitigated) << "the budget has room for one storm";
    d.storm(2);
    d.run_ms(400);
    EXPECT_EQ(d.phase(2), Phase::alerted) << "the limit allows no second mitigation";
}

}  // namespace
}  // namespace petrel

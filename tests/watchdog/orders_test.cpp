// Orders from operators: no limit applies, they take effect at once, and each leaves an event with the name of the
// operator.
#include <gtest/gtest.h>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::Driver;
using test::preset;
using test::Story;

TEST(Order, IsReportedWithUserAndTargetAndWithoutPolicy)
{
    Driver d{preset("sonic"), 2};
    d.order(Order::Kind::mitigate, d.target(1), "bob");
    const auto& taken = d.last(EventKind::order_taken);
    EXPECT_EQ(taken.by, "mitigate by bob");
    EXPECT_EQ(taken.target, d.target(1));
    EXPECT_EQ(taken.policy, kUnwatched);
    EXPECT_EQ(taken.reason, Reason::operator_);
}

TEST(Order, IsReportedEvenIfItChangesNothing)
{
    Driver d{preset("sonic")};
    d.order(Order::Kind::release, d.target(), "");
    EXPECT_EQ(d.story(), Story{"0 order_taken release operator"});
    d.order(Order::Kind::mitigate, Target{PortId{DeviceId{}, 77}, Priority{3}});
    EXPECT_EQ(d.story(), Story{"0 order_taken mitigate by ann operator"});
}

// --- mitigate

TEST(MitigateOrder, ActsWithoutEvidenceAndLastsUntilReleased)
{
    Driver d{preset("sonic"), 2};
    d.order(Order::Kind::mitigate, d.target(1));
    EXPECT_EQ(d.story(), (Story{"0 order_taken mitigate by ann operator", "0 do drop Ethernet4:3"}));
    EXPECT_EQ(d.commands().at(0).cause, d.last(EventKind::order_taken).seq);
    d.run_ms(600'000);
    EXPECT_EQ(d.story(), Story{}) << "quiet does not end what a person ordered";
    EXPECT_EQ(d.phase(0), Phase::watching);
    EXPECT_EQ(d.phase(1), Phase::mitigated);
    d.order(Order::Kind::release, d.target(1));
    EXPECT_EQ(d.story(), (Story{"600000 order_taken release by ann operator", "600000 do none Ethernet4:3",
                                "600000 storm_released Ethernet4:3 operator"}));
    EXPECT_EQ(d.stats(1).detected, 0U) << "an order is no storm";
    EXPECT_EQ(d.stats(1).restored, 0U);
    EXPECT_EQ(d.stats(1).in_storm, Duration{});
}

TEST(MitigateOrder, IsNoTimeInAStormAcrossARestart)
{
    const auto book = test::book_of(preset("sonic"));
    Driver d{book, test::small_inventory(1)};
    d.storm();
    d.run_ms(1'000);
    d.calm();
    d.run_ms(3'000);
    const auto storm = d.stats().in_storm;
    EXPECT_GT(storm, Duration{});
    d.order(Order::Kind::mitigate, d.target());
    d.run_ms(5'000);
    EXPECT_EQ(d.stats().in_storm, storm);
    d.restart(book);
    d.run_ms(5'000);
    EXPECT_EQ(d.stats().in_storm, storm);
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.stats().in_storm, storm);
}

TEST(MitigateOrder, OutlivesALinkThatGoesDown)
{
    Driver d{preset("sonic")};
    d.order(Order::Kind::mitigate, d.target());
    d.story();
    d.receive(Notice::Kind::link_down, d.target());
    d.queue().epoch = 0;
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(), Phase::mitigated);
}

TEST(MitigateOrder, AlertOnlyQueueGetsTheBestTheDeviceHas)
{
    auto policy = preset("sonic");
    policy.action = Treatment::none;
    auto can = test::able(test::kTellsAll);
    can.treatments = bit(Treatment::drop_egress) | bit(Treatment::ignore_pause);
    Driver d{policy, 1, can};
    d.order(Order::Kind::mitigate, d.target());
    EXPECT_EQ(d.in_effect(), Treatment::drop_egress);
}

TEST(MitigateOrder, WholePortAndWholeDevice)
{
    auto inventory = test::small_inventory(2);
    inventory.rows.push_back(inventory.rows[0]);
    inventory.rows[2].target.priority = Priority{4};
    Driver d{test::book_of(preset("sonic")), inventory};
    d.order(Order::Kind::mitigate, Target{inventory.rows[0].target.port, std::nullopt});
    EXPECT_EQ(d.phase(0), Phase::mitigated);
    EXPECT_EQ(d.phase(1), Phase::watching);
    EXPECT_EQ(d.phase(2), Phase::mitigated);
    d.order(Order::Kind::mitigate);
    EXPECT_EQ(d.phase(1), Phase::mitigated);
    d.order(Order::Kind::release);
    for (std::uint32_t r = 0; r < 3; ++r) {
        EXPECT_EQ(d.phase(r), Phase::watching) << r;
        EXPECT_EQ(d.in_effect(r), Treatment::none) << r;
    }
}

TEST(MitigateOrder, TwiceIsOnce)
{
    Driver d{preset("sonic")};
    d.order(Order::Kind::mitigate);
    d.order(Order::Kind::mitigate);
    EXPECT_EQ(d.commands().size(), 1U);
}

// --- max_mitigated does not limit orders, and orders do not count towards it

PolicyBook limited_with_probe(std::uint32_t most)
{
    auto policy = preset("sonic");
    policy.probe = milliseconds{100};
    auto book = test::book_of(policy);
    book.max_mitigated = most;
    return book;
}

void expect_one_fits(Driver& d, std::uint32_t row)
{
    d.storm(row);
    d.run_ms(500);
    EXPECT_EQ(d.phase(row), Phase::mitigated) << "the budget has room for one storm";
}

TEST(OrderBudget, OrdersAreExempt)
{
    Driver d{limited_with_probe(1), test::small_inventory(3)};
    d.order(Order::Kind::mitigate);
    for (std::uint32_t r = 0; r < 3; ++r) {
        EXPECT_EQ(d.phase(r), Phase::mitigated) << r;
    }
}

TEST(OrderBudget, OrdersInForceDoNotUseItUp)
{
    Driver d{limited_with_probe(1), test::small_inventory(3)};
    d.order(Order::Kind::mitigate, d.target(0));
    d.order(Order::Kind::mitigate, d.target(1));
    expect_one_fits(d, 2);
}

TEST(OrderBudget, ReleasedOrdersLeaveItAsItWas)
{
    Driver d{limited_with_probe(1), test::small_inventory(3)};
    for (int i = 0; i < 3; ++i) {
        d.order(Order::Kind::mitigate, d.target(0));
        d.order(Order::Kind::release, d.target(0));
    }
    expect_one_fits(d, 1);
    d.storm(2);
    d.run_ms(400);
    EXPECT_EQ(d.phase(2), Phase::alerted) << "the limit allows no second mitigation";
}

TEST(OrderBudget, RedSwitchLeavesItAsItWas)
{
    Driver d{limited_with_probe(1), test::small_inventory(3)};
    d.order(Order::Kind::red_switch_on);
    d.order(Order::Kind::red_switch_off);
    expect_one_fits(d, 1);
}

TEST(OrderBudget, OrderOnAQueueThatIsBeingProbedLeavesItAsItWas)
{
    Driver d{limited_with_probe(1), test::small_inventory(3)};
    d.storm(0);
    d.run_ms(450);
    d.calm(0);
    d.run_ms(2'100);
    ASSERT_EQ(d.phase(0), Phase::probing);
    d.order(Order::Kind::mitigate, d.target(0));
    d.order(Order::Kind::release, d.target(0));
    ASSERT_EQ(d.phase(0), Phase::watching);
    expect_one_fits(d, 1);
}

TEST(OrderBudget, OrderOnAQueueThatIsBeingRestoredLeavesItAsItWas)
{
    Driver d{limited_with_probe(1), test::small_inventory(3)};
    d.storm(0);
    d.run_ms(400);
    d.calm(0);
    d.stays_silent();
    d.receive(Notice::Kind::link_down, d.target(0));
    ASSERT_EQ(d.phase(0), Phase::restoring);
    d.order(Order::Kind::mitigate, d.target(0));
    d.answers(Verdict::confirmed);
    d.settle(d.commands().back(), {});
    d.run_ms(200);
    d.order(Order::Kind::release, d.target(0));
    d.run_ms(200);
    expect_one_fits(d, 1);
}

// --- release

TEST(ReleaseOrder, EndsAMitigationAndTheStormMustBeProvenAgain)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(1'000);
    d.story();
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.story(), (Story{"1000 order_taken release by ann operator", "1000 do none Ethernet0:3",
                                "1000 storm_released Ethernet0:3 operator"}));
    EXPECT_EQ(d.stats().restored, 1U);
    d.run_ms(400);
    EXPECT_EQ(d.story(), (Story{"1400 storm_detected Ethernet0:3 proven", "1400 do drop Ethernet0:3"}));
}

TEST(ReleaseOrder, EndsAnAlertWithoutACommand)
{
    auto policy = preset("sonic");
    policy.action = Treatment::none;
    Driver d{policy};
    d.storm();
    d.run_ms(400);
    d.story();
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.story(), (Story{"400 order_taken release by ann operator", "400 storm_released Ethernet0:3 operator"}));
    EXPECT_TRUE(d.commands().empty());
}

TEST(ReleaseOrder, ForgetsTheBackOff)
{
    auto policy = preset("sonic");
    policy.backoff_max = milliseconds{60'000};
    Driver d{policy};
    for (int i = 0; i < 3; ++i) {
        d.storm();
        d.run_ms(450);
        d.calm();
        while (d.phase() != Phase::watching) {
            d.run_ms(50);
        }
    }
    EXPECT_GT(whole_us(d.now()), 14'000'000) << "the wait has grown";
    d.storm();
    d.run_ms(500);
    d.order(Order::Kind::release, d.target());
    d.calm();
    d.run_ms(100'000);
    d.storm();
    d.run_ms(450);
    d.calm();
    d.run_ms(2'150);
    EXPECT_EQ(d.phase(), Phase::watching) << "two seconds again";
}

// --- the big red switch

TEST(RedSwitch, MitigatesEveryWatchedQueueAndOffReleasesThem)
{
    Driver d{preset("sonic"), 2};
    d.order(Order::Kind::red_switch_on);
    EXPECT_EQ(d.story(),
              (Story{"0 order_taken red_switch_on by ann operator", "0 do drop Ethernet0:3", "0 do drop Ethernet4:3"}));
    d.run_ms(600'000);
    EXPECT_EQ(d.story(), Story{});
    d.order(Order::Kind::red_switch_off);
    EXPECT_EQ(d.story(), (Story{"600000 order_taken red_switch_off by ann operator", "600000 do none Ethernet0:3",
                                "600000 do none Ethernet4:3", "600000 storm_released Ethernet0:3 red_switch",
                                "600000 storm_released Ethernet4:3 red_switch"}));
    EXPECT_EQ(d.stats().in_storm, Duration::zero()) << "a thrown switch is no storm";
    EXPECT_EQ(d.stats().detected, 0U);
    EXPECT_EQ(d.stats().red_switched, 1U);
    EXPECT_EQ(d.stats().red_released, 1U);
}

TEST(RedSwitch, AppliesFromTheStartIfConfigured)
{
    auto book = test::book_of(preset("sonic"));
    book.big_red_switch = true;
    Driver d{book, test::small_inventory(1)};
    EXPECT_EQ(d.story(), (Story{"0 order_taken red_switch_on by the configuration operator", "0 do drop Ethernet0:3"}));
}

TEST(RedSwitch, DropsWhereThePolicyOnlyForwards)
{
    auto policy = preset("sonic");
    policy.action = Treatment::ignore_pause;
    Driver d{policy};
    d.order(Order::Kind::red_switch_on);
    EXPECT_EQ(d.in_effect(), Treatment::drop);
}

TEST(RedSwitch, LeavesPortRowsAlone)
{
    auto inventory = test::small_inventory(1);
    inventory.rows[0].target.priority.reset();
    Driver d{test::book_of(preset("pause-too-long")), inventory, test::able(bit(Field::pause_timeout))};
    d.order(Order::Kind::red_switch_on);
    EXPECT_TRUE(d.commands().empty());
}

TEST(RedSwitch, OverridesAQueueWhoseStormEnds)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(450);
    d.order(Order::Kind::red_switch_on);
    d.calm();
    d.run_ms(60'000);
    EXPECT_EQ(d.in_effect(), Treatment::drop) << "while the switch is on every watched queue is mitigated";
    d.order(Order::Kind::red_switch_off);
    d.run_ms(3'000);
    EXPECT_EQ(d.in_effect(), Treatment::none);
}

TEST(RedSwitch, KeepsMitigationsByOrder)
{
    Driver d{preset("sonic"), 2};
    d.order(Order::Kind::mitigate, d.target(0));
    d.order(Order::Kind::red_switch_on);
    d.order(Order::Kind::red_switch_off);
    EXPECT_EQ(d.in_effect(0), Treatment::drop);
    EXPECT_EQ(d.in_effect(1), Treatment::none);
}

// --- stop

TEST(StopOrder, ReleasesEverythingAndWatchesNothing)
{
    Driver d{preset("sonic"), 4};
    d.storm(0);
    d.run_ms(400);
    d.order(Order::Kind::mitigate, d.target(1));
    d.order(Order::Kind::red_switch_on);
    d.story();
    d.order(Order::Kind::stop);
    for (std::uint32_t r = 0; r < 4; ++r) {
        EXPECT_EQ(d.in_effect(r), Treatment::none) << r;
        EXPECT_EQ(d.phase(r), Phase::off) << r;
    }
    EXPECT_TRUE(d.dog().idle());
    d.story();
    d.storm(2);
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{});
}

TEST(StopOrder, EndsAStormWithItsReason)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(400);
    d.story();
    d.order(Order::Kind::stop);
    EXPECT_EQ(d.story(), (Story{"400 order_taken stop by ann operator", "400 do none Ethernet0:3",
                                "400 storm_restored Ethernet0:3 stop"}));
}

TEST(StopOrder, KeepsTryingUntilTheDeviceIsClean)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(400);
    d.answers(Verdict::failed);
    d.order(Order::Kind::stop);
    d.run_ms(1'000);
    EXPECT_FALSE(d.dog().idle());
    d.answers(Verdict::confirmed);
    d.run_ms(2'000);
    EXPECT_TRUE(d.dog().idle());
    EXPECT_EQ(d.in_effect(), Treatment::none);
    EXPECT_EQ(d.phase(), Phase::off);
}

TEST(StopOrder, SkipsTheHalfOpenProbe)
{
    auto policy = preset("sonic");
    policy.probe = milliseconds{100};
    Driver d{policy};
    d.storm();
    d.run_ms(450);
    d.calm();
    d.run_ms(2'100);
    ASSERT_EQ(d.phase(), Phase::probing);
    d.order(Order::Kind::stop);
    EXPECT_EQ(d.phase(), Phase::off);
}

// --- hold

TEST(HoldOrder, KeepsAStormMitigatedUntilItIsReleased)
{
    Driver d{preset("sonic"), 2};
    d.storm(0);
    d.run_ms(450);
    d.story();
    d.order(Order::Kind::hold, d.target(0));
    EXPECT_EQ(d.story(), Story{"450 order_taken hold by ann operator"});
    EXPECT_EQ(d.phase(0), Phase::latched);
    EXPECT_TRUE(d.dog().held(Slot{0})) << "by an operator, not by repeated storms";
    d.calm(0);
    d.run_ms(60'000);
    EXPECT_EQ(d.story(), Story{}) << "quiet does not end what is held";
    EXPECT_EQ(d.in_effect(0), Treatment::drop);
    d.restart(test::book_of(preset("sonic")));
    EXPECT_TRUE(d.dog().held(Slot{0}));
    d.change(test::book_of(preset("sonic")));
    EXPECT_TRUE(d.dog().held(Slot{0}));
    d.story();
    d.order(Order::Kind::release, d.target(0));
    EXPECT_EQ(d.in_effect(0), Treatment::none);
    EXPECT_FALSE(d.dog().held(Slot{0}));
    EXPECT_EQ(d.stats(0).detected, 1U);
}

TEST(HoldOrder, IsNotALatchOfRepeatedStorms)
{
    auto policy = preset("sonic");
    policy.latch_count = 1;
    policy.latch_window = milliseconds{60'000};
    Driver d{policy};
    for (int storms = 0; storms != 2; ++storms) {
        d.storm();
        d.run_ms(1'000);
        d.calm();
        d.run_ms(3'000);
    }
    ASSERT_EQ(d.phase(), Phase::latched);
    EXPECT_FALSE(d.dog().held(Slot{0}));
}

TEST(HoldOrder, ChangesNothingWhereNothingIsMitigated)
{
    Driver d{preset("sonic")};
    d.order(Order::Kind::hold, d.target());
    EXPECT_EQ(d.story(), Story{"0 order_taken hold by ann operator"});
    EXPECT_EQ(d.phase(), Phase::watching);
    d.storm();
    d.run_ms(450);
    d.calm();
    d.run_ms(3'000);
    EXPECT_EQ(d.phase(), Phase::watching) << "the order has no later effect";
}

TEST(StopAndHold, LeavesEveryTreatmentAndDecidesNothingMore)
{
    Driver d{preset("sonic"), 2};
    d.storm(0);
    d.run_ms(400);
    d.story();
    d.order(Order::Kind::stop_and_hold);
    EXPECT_EQ(d.story(), Story{"400 order_taken stop_and_hold by ann operator"});
    d.calm(0);
    d.storm(1);
    d.run_ms(60'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.in_effect(0), Treatment::drop);
    EXPECT_EQ(d.in_effect(1), Treatment::none);
    EXPECT_EQ(d.phase(0), Phase::mitigated) << "the mitigation stays";
    EXPECT_EQ(d.phase(1), Phase::off) << "a queue without a storm is no longer watched";
}

TEST(StopAndHold, EveryDecisionStandsAndTheNextStartGoesOnWithIt)
{
    auto policy = preset("sonic");
    policy.latch_count = 1;
    policy.latch_window = milliseconds{60'000};
    auto book = test::book_of(policy);
    book.max_mitigated = 1;
    Driver d{book, test::small_inventory(4)};
    d.storm(0);
    d.run_ms(400);
    ASSERT_EQ(d.phase(0), Phase::latched);
    d.storm(1);
    d.run_ms(400);
    ASSERT_EQ(d.phase(1), Phase::alerted) << "withheld: the budget is used up";
    d.order(Order::Kind::mitigate, d.target(2));
    ASSERT_EQ(d.phase(2), Phase::mitigated);

    d.order(Order::Kind::stop_and_hold);
    d.calm(1);
    d.receive(Notice::Kind::link_down, d.target(1));
    d.order(Order::Kind::release, d.target(0));
    d.order(Order::Kind::red_switch_on);
    d.run_ms(60'000);
    const auto stands = [&] {
        EXPECT_EQ(d.phase(0), Phase::latched);
        EXPECT_EQ(d.phase(1), Phase::alerted);
        EXPECT_EQ(d.phase(2), Phase::mitigated);
        EXPECT_EQ(d.dog().save(d.now()).rows.at(2).ordered, true);
    };
    stands();
    d.restart(book);
    stands();
    d.order(Order::Kind::release);
    for (std::uint32_t r = 0; r < 4; ++r) {
        EXPECT_EQ(d.phase(r), Phase::watching) << r;
    }
}

TEST(StopAndHold, UsesTheLastOutcomesAndSendsNoCommand)
{
    Driver d{preset("sonic")};
    d.stays_silent();
    d.storm();
    d.run_ms(400);
    d.order(Order::Kind::stop_and_hold);
    EXPECT_FALSE(d.dog().idle()) << "an answer is still to come";
    const auto sent = d.commands().size();
    d.settle(d.commands().back(), {Verdict::refused, Treatment::none, "no"});
    EXPECT_EQ(d.last(EventKind::mitigation_failed).reason, Reason::refused) << "failures are still reported";
    EXPECT_TRUE(d.dog().idle());
    EXPECT_EQ(d.dog().next_timer(), kNever);
    d.run_ms(60'000);
    EXPECT_EQ(d.commands().size(), sent);
    EXPECT_EQ(d.phase(), Phase::mitigating) << "decided but not in force: the next start commands it again";
}

TEST(StopAndHold, DoesNotRepeatACommandThatFailed)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::failed);
    d.storm();
    d.run_ms(400);
    d.order(Order::Kind::stop_and_hold);
    const auto sent = d.commands().size();
    d.run_ms(60'000);
    d.order(Order::Kind::stop_and_hold);
    EXPECT_EQ(d.commands().size(), sent);
}

TEST(StopAndHold, HoldsAcrossANewConfiguration)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(400);
    d.order(Order::Kind::stop_and_hold);
    d.story();
    d.change(test::book_of(preset("sonic")));
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.in_effect(), Treatment::drop);
}

TEST(StopOrder, StaysStoppedAcrossANewConfiguration)
{
    Driver d{preset("sonic")};
    d.order(Order::Kind::stop);
    d.change(test::book_of(preset("sonic")));
    d.story();
    d.storm();
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{}) << "a stopped watchdog acts no more";
}

}  // namespace
}  // namespace petrel

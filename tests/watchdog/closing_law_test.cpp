// Every announced storm is closed exactly once, in the events and in the statistics, whatever happens in between:
// orders, the big red switch, failing commands, flapping links, a new configuration, a restart.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::Driver;
using test::preset;
using test::Story;

bool opens(EventKind kind)
{
    return kind == EventKind::storm_detected || kind == EventKind::storm_alert || kind == EventKind::pause_too_long ||
           kind == EventKind::nic_latched;
}

bool closes(EventKind kind)
{
    return kind == EventKind::storm_restored || kind == EventKind::storm_released ||
           kind == EventKind::pause_too_long_cleared;
}

// The storms of one row, by its events.
struct Reported {
    std::uint64_t opened{};
    std::uint64_t closed{};
    std::optional<Event> open;  // the last announcement of the storm that still goes on
    Duration in_storm{};
};

Reported reported_of(const Driver& d, const Target& target)
{
    Reported reported;
    Instant began;
    for (const auto& e : d.events()) {
        if (e.target != target) {
            continue;
        }
        if (opens(e.kind)) {
            // A storm that was withheld is announced again when it is mitigated.
            RC_ASSERT(!reported.open || e.cause == reported.open->seq);
            reported.opened += reported.open ? 0U : 1U;
            began = reported.open ? began : e.at;
            reported.open = e;
        } else if (closes(e.kind) && reported.open) {
            RC_ASSERT(e.cause == reported.open->seq);
            reported.open.reset();
            ++reported.closed;
            reported.in_storm += e.at - began;
        } else if (closes(e.kind)) {
            RC_ASSERT(e.kind == EventKind::storm_released);  // ends a mitigation by order, which is not a storm
        }
    }
    reported.in_storm += reported.open ? d.now() - began : Duration{};
    return reported;
}

void expect_balance(const Driver& d, std::uint32_t row)
{
    const auto reported = reported_of(d, d.target(row));
    const auto stats = d.stats(row);
    RC_ASSERT(stats.detected == reported.opened);
    RC_ASSERT(stats.restored == reported.closed);
    RC_ASSERT(stats.in_storm >= reported.in_storm);  // mitigations by order count as well
    const bool at_rest = d.phase(row) == Phase::watching || d.phase(row) == Phase::off;
    RC_ASSERT(!(reported.open && at_rest));
}

constexpr std::uint32_t kRows = 3;

Inventory two_ports_three_queues()
{
    auto inventory = test::small_inventory(2);
    inventory.rows.push_back(inventory.rows[0]);
    inventory.rows[2].target.priority = Priority{4};
    return inventory;
}

PolicyBook any_book()
{
    auto policy = preset("sonic");
    policy.restore = milliseconds{600};
    policy.action = *rc::gen::element(Treatment::drop, Treatment::none, Treatment::lossless_off);
    policy.probe = milliseconds{*rc::gen::element(0, 200)};
    policy.release = *rc::gen::element(Release::quiet, Release::quiet, Release::forced);
    policy.latch_count = *rc::gen::element(0U, 0U, 3U);
    policy.latch_window = milliseconds{6'000};
    auto book = test::book_of(policy);
    book.max_mitigated = *rc::gen::inRange(0U, 3U);
    book.big_red_switch = *rc::gen::weightedElement<bool>({{5, false}, {1, true}});
    return book;
}

void any_order(Driver& d, std::uint32_t row)
{
    const auto kind = *rc::gen::element(Order::Kind::mitigate, Order::Kind::mitigate, Order::Kind::release,
                                        Order::Kind::red_switch_on, Order::Kind::red_switch_off);
    d.order(kind, *rc::gen::arbitrary<bool>() ? std::optional{d.target(row)} : std::nullopt);
}

void any_step(Driver& d, PolicyBook& book)
{
    const auto row = *rc::gen::inRange(0U, kRows);
    switch (*rc::gen::weightedElement<int>({{4, 0}, {3, 1}, {4, 2}, {2, 3}, {1, 4}, {1, 5}, {1, 6}})) {
    case 0: d.storm(row); break;
    case 1: d.calm(row); break;
    case 2: any_order(d, row); break;
    case 3:
        d.answers(*rc::gen::element(Verdict::confirmed, Verdict::confirmed, Verdict::failed, Verdict::refused));
        break;
    case 4: d.receive(Notice::Kind::link_down, d.target(row)); break;
    case 5: d.restart(book); break;
    case 6:
        book = any_book();
        d.change(book);
        break;
    }
    d.run_ms(*rc::gen::element(0, 50, 100, 400, 700));
}

RC_GTEST_PROP(ClosingLaw, EveryStormIsClosedOnce, ())
{
    auto book = any_book();
    const auto room = *rc::gen::element<std::size_t>(2, 3, 64);  // with a small outbox many decisions wait
    Driver d{book, two_ports_three_queues(), test::able(test::kTellsAll), room};
    for (int i = 0; i < 50; ++i) {
        any_step(d, book);
        for (const auto& line : d.story()) {
            RC_LOG() << line << '\n';
        }
        for (std::uint32_t r = 0; r < kRows; ++r) {
            expect_balance(d, r);
        }
    }
    RC_TAG(d.stats(0).detected > 0 ? "storms" : "none");

    d.answers(Verdict::confirmed);
    for (std::uint32_t r = 0; r < kRows; ++r) {
        d.calm(r);
    }
    d.run_ms(15'000);  // the longest back-off of a command that failed
    book.big_red_switch = false;
    d.change(book);
    d.order(Order::Kind::red_switch_off);
    d.order(Order::Kind::release);
    d.run_ms(15'000);
    for (std::uint32_t r = 0; r < kRows; ++r) {
        expect_balance(d, r);
        RC_ASSERT(d.phase(r) == Phase::watching);
        RC_ASSERT(d.stats(r).detected == d.stats(r).restored);
        RC_ASSERT(d.in_effect(r) == Treatment::none);
    }
}

// --- single cases

void expect_taken_over(Driver& d, const std::string& closing)
{
    d.story();
    const auto before = d.stats();
    d.order(Order::Kind::mitigate, d.target());
    const auto story = d.story();
    EXPECT_EQ(std::count(story.begin(), story.end(), closing), 1) << testing::PrintToString(story);
    EXPECT_EQ(d.phase(), Phase::mitigated);
    EXPECT_EQ(d.stats().restored, before.restored + 1);
    EXPECT_EQ(d.stats().detected, d.stats().restored);
    EXPECT_EQ(d.commands().back().want, Treatment::drop);
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.stats().detected, d.stats().restored) << "the order was no storm";
}

TEST(TakeOver, AnAlert)
{
    auto policy = preset("sonic");
    policy.action = Treatment::none;
    Driver d{policy};
    d.storm();
    d.run_ms(400);
    expect_taken_over(d, "400 storm_released Ethernet0:3 operator");
}

TEST(TakeOver, AProbe)
{
    Driver d{test::with_probe()};
    d.storm();
    d.run_ms(450);
    d.calm();
    d.run_ms(2'100);
    ASSERT_EQ(d.phase(), Phase::probing);
    expect_taken_over(d, "2550 storm_released Ethernet0:3 operator");
}

TEST(TakeOver, ARestorationKeepsItsReason)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(400);
    d.answers(Verdict::failed);
    d.receive(Notice::Kind::link_down, d.target());
    ASSERT_EQ(d.phase(), Phase::restoring);
    d.answers(Verdict::confirmed);
    expect_taken_over(d, "400 storm_restored Ethernet0:3 link_down");
}

TEST(TakeOver, ByTheRedSwitch)
{
    auto policy = preset("sonic");
    policy.action = Treatment::none;
    Driver d{policy};
    d.storm();
    d.run_ms(400);
    d.story();
    d.order(Order::Kind::red_switch_on);
    EXPECT_EQ(d.story(), (Story{"400 order_taken red_switch_on by ann operator",
                                "400 storm_released Ethernet0:3 red_switch", "400 do drop Ethernet0:3"}));
    EXPECT_EQ(d.stats().restored, 1U);
    d.run_ms(1'000);
    EXPECT_EQ(d.stats().in_storm, Duration::zero()) << "the big red switch is no storm";
}

TEST(TakeOver, RememberedStormGoesOnWhereTheDeviceIsTreated)
{
    Driver d{test::with_probe()};
    d.storm();
    d.run_ms(450);
    d.calm();
    d.run_ms(2'100);
    ASSERT_EQ(d.phase(), Phase::probing);
    d.restart(test::book_of(test::with_probe()));
    d.dog().adopt(d.target(), Treatment::drop, true, d.now(), d.out());
    EXPECT_TRUE(d.out().events.empty()) << "the storm was announced before";
    EXPECT_EQ(d.stats().detected, 1U);
}

// One port with two queues.
Driver port_of_two()
{
    auto inventory = test::small_inventory(1);
    inventory.rows.push_back(inventory.rows.front());
    inventory.rows.back().target.priority = Priority{4};
    return Driver{test::book_of(preset("rdma-switch")), inventory};
}

TEST(TakeOver, TreatmentOfAPortWithoutAMemoryIsOneStorm)
{
    auto d = port_of_two();
    d.storm(1);
    d.dog().adopt({d.target().port, std::nullopt}, Treatment::lossless_off, true, d.now(), d.out());
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), (Story{"0.001 storm_detected Ethernet0:3 reconciled", "0.001 do lossless_off Ethernet0"}));
    EXPECT_EQ(d.phase(0), Phase::mitigated);
    EXPECT_EQ(d.phase(1), Phase::mitigated) << "quiet must be proven for every queue";
    EXPECT_EQ(d.stats(0).detected + d.stats(1).detected, 1U);
    d.calm(1);
    d.run_ms(300);
    EXPECT_EQ(d.story(), (Story{"1250 do none Ethernet0", "1250 storm_restored Ethernet0:3 quiet"}));
    EXPECT_EQ(d.stats(0).restored + d.stats(1).restored, 1U);
    EXPECT_EQ(d.phase(1), Phase::watching);
}

// A port that shows a treatment of queues was left in the middle of a treatment of the port.
TEST(TakeOver, TreatmentOfAPortThatWasLeftHalfDoneIsCompleted)
{
    auto d = port_of_two();
    d.storm();
    d.dog().adopt({d.target().port, std::nullopt}, Treatment::ignore_pause, true, d.now(), d.out());
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"0.001 storm_detected Ethernet0:3 reconciled", "0.001 do lossless_off Ethernet0"}));
    EXPECT_EQ(d.in_effect(0), Treatment::lossless_off);
}

TEST(TakeOver, TreatmentOfAPortThatWasLeftHalfDoneIsUndoneIfNoPolicyWantsIt)
{
    auto inventory = test::small_inventory(1);
    Driver d{test::book_of(preset("sonic")), inventory};
    d.dog().adopt({d.target().port, std::nullopt}, Treatment::ignore_pause, true, d.now(), d.out());
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"0.001 do none Ethernet0"}));
}

TEST(TakeOver, TreatmentOfAPortIsOneStormAlsoAfterARestart)
{
    auto d = port_of_two();
    d.dog().adopt({d.target().port, std::nullopt}, Treatment::lossless_off, true, d.now(), d.out());
    d.run_ms(50);
    d.story();
    d.restart(test::book_of(preset("rdma-switch")));
    d.run_ms(300);
    const auto story = d.story();
    EXPECT_EQ(std::ranges::count_if(story, [](const auto& line) { return line.find("storm_restored") != line.npos; }),
              1);
    EXPECT_EQ(d.stats(0).restored + d.stats(1).restored, 1U);
}

TEST(TakeOver, StormOfAQueueThatIsNotWatchedAfterARestartIsClosed)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(400);
    d.story();
    d.restart(PolicyBook{});
    EXPECT_EQ(d.story(), (Story{"400 do none Ethernet0:3", "400 storm_restored Ethernet0:3 reconfigured"}));
    EXPECT_EQ(d.stats().detected, d.stats().restored);
    EXPECT_EQ(d.phase(), Phase::off);
}

}  // namespace
}  // namespace petrel

// What does not count as evidence: XON frames, counters that freeze, jump or restart, flapping links. And patterns that
// detectors of pause without a break miss, but the progress detector finds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::book_of;
using test::Driver;
using test::preset;
using test::Story;

// --- XON

RC_GTEST_PROP(EvidenceLaw, XonFramesAreNeverAStorm, ())
{
    // Any number of XON frames, whether the queue sends or not, for every set of signals that a policy accepts.
    const auto can = test::able(*rc::gen::element(
        bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::tx_packets),
        bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::paused_now),
        bit(Field::rx_pfc) | bit(Field::rx_xon) | bit(Field::paused_now) | bit(Field::on2off), test::kTellsAll));
    Driver d{*rc::gen::element(preset("sonic"), preset("sai")), 1, can};
    const auto frames = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 1'000'000));
    for (const auto n : frames) {
        d.queue().counters[Field::rx_xon] += n;
        d.queue().counters[Field::rx_pfc] += n;
        d.run_ms(*rc::gen::inRange(1, 300));
    }
    RC_ASSERT(d.story().empty());
}

// --- counters that misbehave

enum class Trouble { backwards, reset, jump, frozen, unreadable, flap, speed };
constexpr std::array kTroubles{Trouble::backwards,  Trouble::reset, Trouble::jump, Trouble::frozen,
                               Trouble::unreadable, Trouble::flap,  Trouble::speed};
constexpr std::array kTroubledCounters{Field::pause_us, Field::rx_xoff,    Field::on2off,  Field::tx_packets,
                                       Field::tx_drops, Field::rx_packets, Field::tx_bytes};

// One look at a misbehaving device. A reset or a new epoch stays; other trouble ends after the look.
void trouble_for_one_look(Driver& d, Trouble trouble)
{
    auto& q = d.queue();
    const auto whole = q.counters;
    switch (trouble) {
    case Trouble::backwards:
        q.counters[*rc::gen::elementOf(kTroubledCounters)] -= 1;
        break;  // zero wraps to the maximum
    case Trouble::reset:
        for (const auto f : kTroubledCounters) {
            q.counters[f] = 0;
        }
        break;
    case Trouble::jump: q.counters[Field::pause_us] += *rc::gen::inRange<std::uint64_t>(10'000'000, 1ULL << 50U); break;
    case Trouble::frozen: break;  // the stamp does not change: see below
    case Trouble::unreadable: q.readable = false; break;
    case Trouble::flap: q.epoch = q.epoch == 0 ? 7 : 0; break;
    case Trouble::speed: q.epoch += 1; break;
    }
    if (trouble == Trouble::frozen) {
        d.poll();  // the device has no newer sample
    } else {
        d.run_ms(100);
    }
    if (trouble == Trouble::unreadable) {
        q.readable = true;
    }
    if (trouble == Trouble::flap) {
        q.epoch = 9;
    }
    if (trouble == Trouble::backwards) {
        q.counters.raw = whole.raw;
    }
}

RC_GTEST_PROP(EvidenceLaw, TroubleNeverTriggers, ())
{
    // A queue that was never paused, on a device that misbehaves all the time.
    const auto can = test::able(*rc::gen::element(test::kTellsAll, bit(Field::pause_us),
                                                  bit(Field::pause_us) | bit(Field::paused_now) | bit(Field::on2off),
                                                  bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::tx_packets)));
    Driver d{preset("sonic"), 1, can};
    for (const auto trouble : *rc::gen::container<std::vector<Trouble>>(rc::gen::elementOf(kTroubles))) {
        d.queue().counters[Field::tx_packets] += 5;
        trouble_for_one_look(d, trouble);
    }
    RC_ASSERT(d.story().empty());
}

RC_GTEST_PROP(EvidenceLaw, NoTroubleAloneCausesARestore, ())
{
    // The storm goes on. Whatever the counters do, only a link down may end the mitigation.
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(400);
    RC_ASSERT(d.phase() == Phase::mitigated);
    d.story();
    for (const auto trouble : *rc::gen::container<std::vector<Trouble>>(rc::gen::elementOf(kTroubles))) {
        if (trouble != Trouble::flap) {
            trouble_for_one_look(d, trouble);
        }
        d.run_ms(*rc::gen::element(0, 100, 200));
    }
    RC_ASSERT(d.story().empty());
    RC_ASSERT(d.phase() == Phase::mitigated);
}

RC_GTEST_PROP(EvidenceLaw, FrozenSignalsDoNotRestore, ())
{
    // The treatment stops every signal that is not declared to survive. The frame counter survives and shows that the
    // storm goes on.
    auto can = test::able(bit(Field::pause_state) | bit(Field::pause_us) | bit(Field::on2off) | bit(Field::rx_xoff));
    can.survive = bit(Field::rx_xoff);
    Driver d{preset("sonic"), 1, can};
    d.storm();
    d.run_ms(400);
    d.calm();  // the stopped signals look like this
    d.story();
    const auto steps = *rc::gen::inRange(1, 100);
    for (int i = 0; i < steps; ++i) {
        d.queue().counters[Field::rx_xoff] += *rc::gen::inRange<std::uint64_t>(1, 500);
        d.run_ms(*rc::gen::inRange(100, 1'500));
    }
    RC_ASSERT(d.story().empty());
}

RC_GTEST_PROP(EvidenceLaw, EveryIntervalWithAFlapIsNoEvidence, ())
{
    // Paused without a break, but the link flaps or changes its speed within every T0.
    Driver d{preset("sonic")};
    d.storm();
    for (const auto ms : *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 4))) {
        d.run_ms(100 * ms);
        d.queue().epoch += 1;
    }
    RC_ASSERT(d.story().empty());
}

// --- alert

RC_GTEST_PROP(AlertLaw, NeverEmitsACommand, ())
{
    auto policy = preset(*rc::gen::element(std::string{"sonic"}, std::string{"sai"}, std::string{"progress"}));
    policy.action = Treatment::none;
    policy.release = *rc::gen::element(Release::quiet, Release::forced, Release::manual);
    policy.probe = *rc::gen::element(milliseconds{0}, milliseconds{100});
    policy.latch_count = *rc::gen::element(0U, 1U, 2U);
    policy.latch_window = milliseconds{60'000};
    auto can = test::able(test::kTellsAll);
    can.survive = *rc::gen::element(can.fields, Fields{0});
    Driver d{policy, 2, can};
    std::size_t reported = 0;
    for (const auto ms : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 1'200))) {
        const auto row = static_cast<std::uint32_t>(ms % 2);
        d.queue(row).paused ? d.calm(row) : d.storm(row);
        d.queue(row).counters[Field::occupancy] = 1;
        d.run_ms(ms);
        reported = d.events().size();
    }
    RC_TAG(reported > 0 ? "alerts" : "silence");
    RC_ASSERT(d.commands().empty());
}

// --- stop

RC_GTEST_PROP(StopLaw, LeavesNothingCommandedUnlessHeld, ())
{
    auto policy = preset("sonic");
    policy.probe = *rc::gen::element(milliseconds{0}, milliseconds{100});
    policy.latch_count = *rc::gen::element(0U, 1U, 2U);
    policy.latch_window = milliseconds{60'000};
    policy.action = *rc::gen::element(Treatment::drop, Treatment::none);
    auto book = book_of(policy);
    book.max_mitigated = *rc::gen::element(0U, 1U);
    constexpr std::uint32_t kQueues = 3;
    Driver d{book, test::small_inventory(kQueues), test::able(test::kTellsAll), *rc::gen::element<std::size_t>(2, 64)};
    const auto act = [&](int what) {
        const auto row = static_cast<std::uint32_t>(what) % kQueues;
        switch (what % 7) {
        case 0:
        case 1: d.storm(row); break;
        case 2: d.calm(row); break;
        case 3: d.order(Order::Kind::mitigate, d.target(row)); break;
        case 4: d.order(Order::Kind::release, d.target(row)); break;
        case 5: d.order(what % 2 == 0 ? Order::Kind::red_switch_on : Order::Kind::red_switch_off); break;
        default: d.receive(Notice::Kind::link_down, d.target(row)); break;
        }
        constexpr std::array kAnswers{Verdict::confirmed, Verdict::accepted, Verdict::refused,
                                      Verdict::failed,    Verdict::differs,  Verdict::timed_out};
        d.answers(what % 3 == 0 ? kAnswers[static_cast<std::size_t>(what) % kAnswers.size()] : Verdict::confirmed);
        d.run_ms(std::int64_t{50} * (what % 17));
    };
    for (const auto what : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1'000))) {
        act(what);
    }
    d.order(Order::Kind::stop);
    d.answers(Verdict::confirmed);
    d.run_ms(30'000);
    std::map<Target, Treatment> last;
    for (const auto& command : d.commands()) {
        last[command.target] = command.want;
    }
    for (const auto& [target, treatment] : last) {
        RC_ASSERT(treatment == Treatment::none);
    }
    RC_ASSERT(d.dog().idle());
    for (std::uint32_t r = 0; r < kQueues; ++r) {
        RC_ASSERT(d.in_effect(r) == Treatment::none);
        RC_ASSERT(d.phase(r) == Phase::off);
    }
}

// --- patterns that a detector of continuous pause misses

constexpr Fields kProgressFields = bit(Field::pause_us) | bit(Field::paused_now) | bit(Field::on2off) |
                                   bit(Field::tx_bytes) | bit(Field::tx_packets) | bit(Field::occupancy);

constexpr std::uint64_t kLineBytesPer100ms = 1'250'000'000;  // 100 Gbit/s

// Twenty polls of 100 ms with one XON in each. The queue is paused for `paused_percent` and sends `sent_ppm` of the
// line rate.
Story choppy(const Policy& policy, int paused_percent, std::uint64_t sent_ppm, std::uint64_t packets,
             Fields fields = kProgressFields)
{
    Driver d{policy, 1, test::able(fields)};
    d.queue().counters[Field::occupancy] = 100'000;
    const auto gap_us = 1'000 * (100 - paused_percent);
    for (int poll = 0; poll < 20; ++poll) {
        d.storm();
        d.run_until_us(whole_us(d.now()) + 100'000 - gap_us - 500);
        d.calm();
        d.run_until_us(whole_us(d.now()) + gap_us);
        d.storm();
        d.queue().counters[Field::tx_bytes] += kLineBytesPer100ms / 1'000'000 * sent_ppm;
        d.queue().counters[Field::tx_packets] += packets;
        d.run_until_us(whole_us(d.now()) + 500);
    }
    return d.story();
}

TEST(ProgressLaw, OneXonAPollEvadesTheOthersAndIsCaught)
{
    EXPECT_EQ(choppy(preset("sonic"), 95, 0, 0), Story{});
    EXPECT_EQ(choppy(preset("progress"), 95, 0, 0),
              (Story{"500 storm_detected Ethernet0:3 proven", "500 do drop Ethernet0:3"}));
}

TEST(ProgressLaw, OneXonAPollIsCaughtWhereOnlyTheStateOfPauseIsKnown)
{
    EXPECT_EQ(choppy(preset("progress"), 95, 0, 0, kProgressFields & ~bit(Field::pause_us)),
              (Story{"500 storm_detected Ethernet0:3 proven", "500 do drop Ethernet0:3"}));
}

TEST(ProgressLaw, OnePacketAPollIsCaught)
{
    EXPECT_EQ(choppy(preset("progress"), 95, 8, 1),
              (Story{"500 storm_detected Ethernet0:3 proven", "500 do drop Ethernet0:3"}));
}

TEST(ProgressLaw, OnePacketAPollIsCaughtWhereOnlyPacketsAreCounted)
{
    Driver d{preset("progress"), 1, test::able(kProgressFields & ~bit(Field::tx_bytes))};
    d.queue().counters[Field::occupancy] = 100'000;
    d.storm();
    for (int poll = 0; poll < 10; ++poll) {
        d.queue().counters[Field::tx_packets] += 1;
        d.run_ms(100);
    }
    EXPECT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3"}));
}

TEST(ProgressLaw, Incast64To1IsNoStorm)
{
    // Each feeder is paused 98.4 % of the time and sends 1.6 % of the line rate.
    EXPECT_EQ(choppy(preset("progress"), 98, 16'000, 2'200), Story{});
}

RC_GTEST_PROP(ProgressLaw, AnyRateAboveTheFloorIsNoStorm, ())
{
    RC_ASSERT(choppy(preset("progress"), *rc::gen::inRange(1, 100), *rc::gen::inRange<std::uint64_t>(1'010, 900'000),
                     10'000) == Story{});
}

// The pause time of the first interval counts, and all of the others.
RC_GTEST_PROP(ProgressLaw, MostlyPausedBelowTheFloorIsCaughtAtTheFirstLookAfterT0, ())
{
    const auto reported =
        choppy(preset("progress"), *rc::gen::inRange(51, 99), *rc::gen::inRange<std::uint64_t>(0, 990), 1);
    RC_ASSERT(reported == (Story{"500 storm_detected Ethernet0:3 proven", "500 do drop Ethernet0:3"}));
}

TEST(ProgressLaw, EmptyQueueIsNoStorm)
{
    Driver d{preset("progress"), 1, test::able(kProgressFields)};
    d.storm();
    d.run_ms(5'000);
    EXPECT_EQ(d.story(), Story{});
}

// Nothing waits in the queue when it is read, but it sends a packet in each interval.
TEST(ProgressLaw, QueueThatIsEmptyAtEachLookIsCaught)
{
    Driver d{preset("progress"), 1, test::able(kProgressFields)};
    d.storm();
    for (int poll = 0; poll < 10; ++poll) {
        d.queue().counters[Field::tx_bytes] += 1'000;
        d.run_ms(100);
    }
    EXPECT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3"}));
}

TEST(ProgressLaw, APauseShorterThanT0IsNoStormWhereverThePollsLie)
{
    for (int begin_ms = 0; begin_ms < 100; ++begin_ms) {
        Driver d{preset("progress"), 1, test::able(kProgressFields)};
        d.queue().counters[Field::occupancy] = 100'000;
        d.run_ms(100 + begin_ms);
        d.storm();
        d.run_ms(399);
        d.calm();
        d.run_ms(500);
        EXPECT_EQ(d.story(), Story{}) << begin_ms;
    }
}

// Deep buffers: pauses of three polls, then a burst at line rate. An eighth of the line rate is sent.
TEST(ProgressLaw, LongPausesBetweenBurstsAreNoStorm)
{
    Driver d{preset("progress"), 1, test::able(kProgressFields)};
    d.queue().counters[Field::occupancy] = 100'000;
    for (int cycle = 0; cycle < 10; ++cycle) {
        d.storm();
        d.run_ms(350);
        d.calm();
        d.run_ms(50);
        d.queue().counters[Field::tx_bytes] += kLineBytesPer100ms / 2;
    }
    EXPECT_EQ(d.story(), Story{});
}

// Of each four polls three make no progress and one makes a little more than the floor.
Story mostly_stuck(std::uint32_t leak)
{
    auto policy = preset("progress");
    policy.leak = leak;
    Driver d{policy, 1, test::able(kProgressFields)};
    d.queue().counters[Field::occupancy] = 100'000;
    d.storm();
    for (int poll = 0; poll < 40; ++poll) {
        d.queue().counters[Field::tx_bytes] += poll % 4 == 3 ? kLineBytesPer100ms / 600 : 0;
        d.run_ms(100);
    }
    return d.story();
}

TEST(ProgressLaw, ScoreFallsFasterThanItRisesByItsLeak)
{
    EXPECT_EQ(mostly_stuck(1), (Story{"600 storm_detected Ethernet0:3 proven", "600 do drop Ethernet0:3"}));
    EXPECT_EQ(mostly_stuck(3), Story{});
}

}  // namespace
}  // namespace petrel

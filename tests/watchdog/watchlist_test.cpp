// A policy book compiled for a device: which policy watches which row, which action is effective, and what the device
// lacks.
#include "watchdog/unjudged_rows.hpp"
#include "watchdog/watchlist.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver.hpp"
#include "support/world.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::preset;

Target queue(std::uint16_t port, std::uint8_t priority) { return {PortId{DeviceId{}, port}, Priority{priority}}; }
Target whole(std::uint16_t port) { return {PortId{DeviceId{}, port}, std::nullopt}; }

// Two ports with queues 0..7 and a row of their own each: row 9 * port + priority, and 9 * port + 8.
Inventory two_ports()
{
    Inventory inventory;
    for (std::uint16_t port = 0; port < 2; ++port) {
        inventory.ports.push_back({"Ethernet" + std::to_string(4 * port), "", std::nullopt});
        for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
            inventory.rows.push_back({queue(port, priority), BitRate{100'000'000'000}, port == 0});
        }
        inventory.rows.push_back({whole(port), BitRate{100'000'000'000}, port == 0});
    }
    return inventory;
}

constexpr Fields kAllFields = (1U << kFields) - 1;

PolicyBook book(std::vector<Policy> policies, std::vector<Assignment> assigned)
{
    PolicyBook b;
    b.policies = std::move(policies);
    b.assigned = std::move(assigned);
    return b;
}

constexpr Assignment everywhere(std::uint16_t policy) { return {policy, std::nullopt, std::nullopt}; }

// One character per row: the policy that watches it, or '.'; a blank between ports.
std::string watched(const Watchlist& list)
{
    std::string text;
    for (std::size_t r = 0; r < list.rows.size(); ++r) {
        text += r == 9 ? " " : "";
        const auto policy = list.rows[r].policy;
        text += policy == kUnwatched ? '.' : static_cast<char>('0' + policy);
    }
    return text;
}

Watchlist compiled(const PolicyBook& b, const Capabilities& can = test::able(kAllFields))
{
    auto list = compile(b, two_ports(), can);
    EXPECT_TRUE(list.has_value());
    return list ? *list : Watchlist{};
}

// --- which rows are watched

TEST(Watchlist, SonicWatchesPrioritiesThreeAndFour)
{
    EXPECT_EQ(watched(compiled(book({preset("sonic")}, {everywhere(0)}))), "...00.... ...00....");
}

TEST(Watchlist, PortLevelPoliciesWatchPortRows)
{
    EXPECT_EQ(watched(compiled(book({preset("pause-too-long")}, {everywhere(0)}))), "........0 ........0");
    EXPECT_EQ(watched(compiled(book({preset("rdma-nic")}, {everywhere(0)}))), "........0 ........0");
}

// Such a device has no rows for ports either: the policy would watch nothing.
TEST(Watchlist, AReceiveStallThatCannotBeSeenIsRefusedAlsoWithoutRowsOfPorts)
{
    const auto on_switch = [](const PolicyBook& policies) {
        return compile(policies, test::small_inventory(1), test::able(bit(Field::pause_us)));
    };
    const auto refused = on_switch(book({preset("rdma-nic")}, {everywhere(0)}));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().front().allowed, "needs rx_packets, and pause_tx_us or pause_tx");
    EXPECT_TRUE(on_switch(book({preset("sonic"), preset("rdma-nic")}, {everywhere(0)})).has_value())
        << "it is assigned to other devices";
}

TEST(Watchlist, HostFacingOnly)
{
    EXPECT_EQ(watched(compiled(book({preset("rdma-switch")}, {everywhere(0)}))), "00000000. .........");
}

TEST(Watchlist, AssignmentToAPortOrAPriority)
{
    const auto sonic = preset("sonic");
    EXPECT_EQ(watched(compiled(book({sonic}, {{0, std::uint16_t{1}, std::nullopt}}))), "......... ...00....");
    EXPECT_EQ(watched(compiled(book({sonic}, {{0, std::nullopt, Priority{6}}}))), "......0.. ......0..")
        << "an explicit priority is watched though the policy's own list lacks it";
    EXPECT_EQ(watched(compiled(book({sonic}, {{0, std::uint16_t{0}, Priority{3}}}))), "...0..... .........");
}

TEST(Watchlist, LaterAssignmentWins)
{
    const auto list =
        compiled(book({preset("sonic"), preset("progress")},
                      {everywhere(0), {1, std::uint16_t{1}, std::nullopt}, {0, std::uint16_t{1}, Priority{7}}}));
    EXPECT_EQ(watched(list), "...00.... 11111110.");
    const auto turned = compiled(book({preset("sonic"), preset("progress")}, {everywhere(1), everywhere(0)}));
    EXPECT_EQ(watched(turned), "11100111. 11100111.") << "rows the later one does not claim keep the earlier";
}

TEST(Watchlist, PolicyThatWatchesNothingIsNoted)
{
    const auto list = compiled(book({preset("sonic"), preset("sai")}, {everywhere(0)}));
    ASSERT_EQ(list.notes.size(), 1U);
    EXPECT_EQ(list.notes[0], "sai: watches no queue of this device");
}

TEST(Watchlist, AnEmptyBookWatchesNothing)
{
    const auto list = compiled(book({}, {}));
    EXPECT_EQ(watched(list), "......... .........");
    EXPECT_TRUE(list.runs.empty());
    EXPECT_EQ(list.poll, std::chrono::seconds{1});
}

TEST(Watchlist, LimitsAndRedSwitchAreHandedOn)
{
    auto b = book({preset("sonic")}, {everywhere(0)});
    b.max_mitigated = 7;
    b.big_red_switch = true;
    const auto list = compiled(b);
    EXPECT_EQ(list.max_mitigated, 7U);
    EXPECT_TRUE(list.big_red_switch);
}

// --- the effective action

struct Offer {
    std::string_view policy;
    Treatments can{};
    Treatment effective{};
};

class EffectiveAction : public testing::TestWithParam<Offer> {};

TEST_P(EffectiveAction, IsTheBestTheDeviceHas)
{
    auto can = test::able(kAllFields);
    can.treatments = GetParam().can;
    const auto wanted = preset(GetParam().policy);
    const auto list = compiled(book({wanted}, {everywhere(0)}), can);
    const auto row = static_cast<std::size_t>(watched(list).find('0'));
    EXPECT_EQ(list.rows[row].action, GetParam().effective);
    const auto note = wanted.name + ": the device cannot do " + std::string{action_name(wanted.action)} +
                      "; the effective action is " + std::string{action_name(GetParam().effective)};
    const bool noted = std::find(list.notes.begin(), list.notes.end(), note) != list.notes.end();
    EXPECT_EQ(noted, wanted.action != GetParam().effective);
}

INSTANTIATE_TEST_SUITE_P(
    Ladder, EffectiveAction,
    testing::Values(Offer{"sonic", ~0U, Treatment::drop},
                    Offer{"sonic", bit(Treatment::drop_egress) | bit(Treatment::ignore_pause), Treatment::drop_egress},
                    Offer{"sonic", bit(Treatment::ignore_pause), Treatment::ignore_pause},
                    Offer{"sonic", bit(Treatment::squeeze), Treatment::none}, Offer{"sonic", 0, Treatment::none},
                    Offer{"rdma-switch", bit(Treatment::drop), Treatment::drop},
                    Offer{"rdma-switch", bit(Treatment::drop_egress), Treatment::drop_egress},
                    Offer{"pause-too-long", bit(Treatment::drop), Treatment::drop},
                    Offer{"rdma-nic", bit(Treatment::drop) | bit(Treatment::ignore_pause), Treatment::none}));

TEST(Watchlist, WeakerTreatmentsEndInNone)
{
    for (unsigned t = 0; t < static_cast<unsigned>(Treatment::count_); ++t) {
        auto treatment = static_cast<Treatment>(t);
        for (int steps = 0; treatment != Treatment::none; ++steps) {
            ASSERT_LT(steps, 8) << name(treatment);
            ASSERT_LT(weaker(treatment), treatment);
            treatment = weaker(treatment);
        }
    }
}

TEST(Watchlist, AlertWantsNothingAndNeedsNoNote)
{
    auto alert = preset("sonic");
    alert.action = Treatment::none;
    auto can = test::able(kAllFields);
    can.treatments = 0;
    const auto list = compiled(book({alert}, {everywhere(0)}), can);
    EXPECT_EQ(list.rows[3].action, Treatment::none);
    EXPECT_TRUE(list.notes.empty());
    EXPECT_TRUE(list.runs[0].rule.quiet_survives) << "nothing is mitigated: every signal counts";
}

TEST(Watchlist, QuietIsJudgedBySignalsThatSurvive)
{
    auto can = test::able(bit(Field::pause_state) | bit(Field::rx_xoff));
    const auto b = book({preset("sonic")}, {everywhere(0)});
    EXPECT_TRUE(compiled(b, can).runs[0].rule.quiet_survives);
    can.survive = 0;
    const auto blind = compiled(b, can);
    EXPECT_FALSE(blind.runs[0].rule.quiet_survives);
    ASSERT_EQ(blind.notes.size(), 1U);
    EXPECT_EQ(blind.notes[0], "sonic: no signal of the device survives drop; queues are released by a timed probe");
    can.survive = bit(Field::tx_packets);
    EXPECT_FALSE(compiled(b, can).runs[0].rule.quiet_survives) << "a signal without pause does not help";
}

// --- storms that cannot be detected

std::vector<std::string> notes_without_speed(std::string_view policy, Fields fields)
{
    auto p = preset(policy);
    p.needs_backlog = false;
    auto inventory = test::small_inventory(3, 0);
    inventory.rows[1].speed = BitRate{100'000'000'000};
    auto list = compile(book({p}, {everywhere(0)}), inventory, test::able(fields));
    EXPECT_TRUE(list);
    return list ? list->notes : std::vector<std::string>{};
}

TEST(Watchlist, NotesTheEffectOfAnUnknownSpeed)
{
    using testing::ElementsAre;
    using testing::IsEmpty;
    constexpr Fields kFrames = bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::tx_packets);
    EXPECT_THAT(
        notes_without_speed("sonic", kFrames),
        ElementsAre("sonic: speed_bps is not known for 2 of its queues; how long an rx_xoff holds depends on it, "
                    "so no storm can be seen there"));
    EXPECT_THAT(notes_without_speed("sonic", kFrames | bit(Field::pause_us)), IsEmpty());
    EXPECT_THAT(notes_without_speed("sonic", kFrames | bit(Field::paused_now)).size(), 1U) << "frames have to hold it";
    EXPECT_THAT(notes_without_speed("sonic", kFrames | bit(Field::paused_now) | bit(Field::on2off)), IsEmpty());
    EXPECT_THAT(
        notes_without_speed("progress", bit(Field::pause_us) | bit(Field::tx_packets)),
        ElementsAre("progress: speed_bps is not known for 2 of its queues; without it any packet sent counts as "
                    "progress, and a storm that lets one through is not seen"));
}

TEST(Watchlist, RowsWithFramesOnlyAndWithoutSpeedAreUnjudged)
{
    constexpr Fields kFrames = bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::tx_packets);
    const auto unjudged = [](std::string_view policy, Fields fields) {
        auto inventory = test::small_inventory(3, 0);
        inventory.rows[1].speed = BitRate{100'000'000'000};
        return unjudged_rows(compile(book({preset(policy)}, {everywhere(0)}), inventory, test::able(fields)).value());
    };
    EXPECT_EQ(unjudged("sonic", kFrames), 2U);
    EXPECT_EQ(unjudged("sonic", kFrames | bit(Field::pause_us)), 0U);
    EXPECT_EQ(unjudged("progress", bit(Field::pause_us) | bit(Field::tx_packets)), 0U) << "it finds some storms";
    auto nowhere = compile(book({preset("sonic")}, {}), test::small_inventory(3, 0), test::able(kFrames)).value();
    EXPECT_EQ(unjudged_rows(nowhere), 0U) << "not watched";
}

// --- fields that the device lacks

std::string lacks(std::string_view policy, Fields fields, bool detects_itself = false)
{
    auto can = test::able(fields);
    can.detects_itself = detects_itself;
    auto p = preset(policy == "device" ? "sai" : policy);
    if (policy == "device") {
        p.criterion = Criterion::device;
    }
    const auto list = compile(book({p}, {everywhere(0)}), two_ports(), can);
    return list ? "" : list.error().at(0).allowed;
}

constexpr std::string_view kNeedsPause =
    "needs pause_state, pause_us, paused_now with on2off, or rx_xoff and rx_xon with tx_packets";

TEST(WatchlistComplaint, ContinuousNeedsAProofOfPause)
{
    for (const Fields enough :
         {bit(Field::pause_state), bit(Field::pause_us), bit(Field::paused_now) | bit(Field::on2off),
          bit(Field::paused_now) | bit(Field::rx_xoff) | bit(Field::rx_xon),
          bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::tx_packets),
          bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::tx_bytes)}) {
        EXPECT_EQ(lacks("sonic", enough), "");
    }
    for (const Fields too_little :
         {bit(Field::tx_packets), bit(Field::paused_now), bit(Field::on2off), bit(Field::rx_xoff),
          bit(Field::paused_now) | bit(Field::rx_xoff), bit(Field::rx_xoff) | bit(Field::tx_packets),
          bit(Field::rx_pfc) | bit(Field::tx_packets) | bit(Field::tx_bytes),
          bit(Field::rx_xon) | bit(Field::tx_bytes)}) {
        EXPECT_EQ(lacks("sonic", too_little), kNeedsPause);
    }
}

TEST(WatchlistComplaint, StalledNeedsToSeeTheBacklog)
{
    EXPECT_EQ(lacks("rdma-switch", bit(Field::pause_us) | bit(Field::occupancy)), "");
    EXPECT_EQ(lacks("rdma-switch", bit(Field::occupancy)), kNeedsPause);
    EXPECT_EQ(lacks("rdma-switch", bit(Field::pause_us)),
              "needs occupancy_bytes: a backlog that cannot drain has to be seen");
}

TEST(WatchlistComplaint, ProgressNeedsPauseAndSentFrames)
{
    constexpr std::string_view needs = "needs pause_us, pause_state or paused_now, and tx_bytes or tx_packets";
    EXPECT_EQ(lacks("progress", bit(Field::pause_us) | bit(Field::tx_bytes)), "");
    EXPECT_EQ(lacks("progress", bit(Field::paused_now) | bit(Field::tx_packets)), "");
    EXPECT_EQ(lacks("progress", bit(Field::pause_us)), needs);
    EXPECT_EQ(lacks("progress", bit(Field::tx_bytes) | bit(Field::rx_xoff)), needs);
}

TEST(WatchlistComplaint, ReceiveStallNeedsBothSides)
{
    constexpr std::string_view needs = "needs rx_packets, and pause_tx_us or pause_tx";
    EXPECT_EQ(lacks("rdma-nic", bit(Field::rx_packets) | bit(Field::pause_tx)), "");
    EXPECT_EQ(lacks("rdma-nic", bit(Field::rx_packets) | bit(Field::pause_tx_us)), "");
    EXPECT_EQ(lacks("rdma-nic", bit(Field::rx_packets)), needs);
    EXPECT_EQ(lacks("rdma-nic", bit(Field::pause_tx)), needs);
}

TEST(WatchlistComplaint, PauseTimeoutAndDeviceNeedADeviceThatReportsThem)
{
    EXPECT_EQ(lacks("pause-too-long", bit(Field::pause_timeout)), "");
    EXPECT_EQ(lacks("pause-too-long", bit(Field::pause_us)), "needs pause_timeout");
    EXPECT_EQ(lacks("device", bit(Field::pause_us), true), "");
    EXPECT_EQ(lacks("device", bit(Field::pause_us), false), "needs a device that detects storms itself");
}

TEST(WatchlistComplaint, AllComeAtOnceAndNameThePolicy)
{
    const auto list = compile(book({preset("sonic"), preset("pause-too-long")}, {everywhere(0), everywhere(1)}),
                              two_ports(), test::able(bit(Field::rx_packets)));
    ASSERT_FALSE(list);
    ASSERT_EQ(list.error().size(), 2U);
    EXPECT_EQ(list.error()[0].file, "sonic");
    EXPECT_EQ(list.error()[1].file, "pause-too-long");
}

TEST(WatchlistComplaint, PolicyThatWatchesNothingHereNeedsNothing)
{
    const auto list = compile(book({preset("sonic"), preset("pause-too-long")}, {everywhere(0)}), two_ports(),
                              test::able(bit(Field::pause_state)));
    EXPECT_TRUE(list.has_value());
}

// --- the rule

TEST(WatchlistRule, BestSourceFirst)
{
    const auto source = [](std::string_view policy, Fields fields) {
        return compiled(book({preset(policy)}, {everywhere(0)}), test::able(fields)).runs.at(0).rule.source;
    };
    constexpr Fields sent = bit(Field::tx_packets);
    EXPECT_EQ(source("sonic", bit(Field::pause_state) | bit(Field::pause_us)), Source::state);
    EXPECT_EQ(source("sonic", bit(Field::pause_us) | bit(Field::paused_now)), Source::duration);
    EXPECT_EQ(source("sonic", bit(Field::rx_xoff) | bit(Field::rx_xon) | sent), Source::state);
    EXPECT_EQ(source("progress", bit(Field::pause_state) | bit(Field::pause_us) | sent), Source::duration);
    EXPECT_EQ(source("progress", bit(Field::pause_state) | sent), Source::state);
    EXPECT_EQ(source("rdma-nic", bit(Field::rx_packets) | bit(Field::pause_tx) | bit(Field::pause_tx_us)),
              Source::duration);
}

TEST(WatchlistRule, ProgressIsMeasuredInBytesWherePossible)
{
    const auto rule = [](Fields sent, std::uint64_t bps) {
        auto list = compile(test::book_of(preset("progress")), test::small_inventory(1, bps),
                            test::able(bit(Field::pause_us) | sent));
        return list->runs.at(0).rule;
    };
    // 0.1 % of 100 Gbit/s in 65.536 ms are 819200 bytes, or 89 of the longest frames, rounded up.
    const auto bytes = rule(bit(Field::tx_bytes) | bit(Field::tx_packets), 100'000'000'000);
    EXPECT_TRUE(bytes.in_bytes);
    EXPECT_EQ(bytes.floor_per_64k_us, 819'200U);
    const auto packets = rule(bit(Field::tx_packets), 100'000'000'000);
    EXPECT_FALSE(packets.in_bytes);
    EXPECT_EQ(packets.floor_per_64k_us, 89U);
    EXPECT_EQ(rule(bit(Field::tx_bytes), 0).floor_per_64k_us, 0U) << "speed not known: any packet sent is progress";
}

TEST(WatchlistRule, BacklogIsRequiredOnlyWhereItIsReported)
{
    const auto fields = bit(Field::pause_us) | bit(Field::tx_bytes);
    const auto blind = compiled(book({preset("progress")}, {everywhere(0)}), test::able(fields));
    EXPECT_FALSE(blind.runs[0].rule.backlog);
    ASSERT_EQ(blind.notes.size(), 1U);
    EXPECT_EQ(blind.notes[0], "progress: the device does not report occupancy; an empty queue counts as well");
    EXPECT_TRUE(compiled(book({preset("progress")}, {everywhere(0)}), test::able(fields | bit(Field::occupancy)))
                    .runs[0]
                    .rule.backlog);
    auto sonic = preset("sonic");
    sonic.needs_backlog = false;
    EXPECT_FALSE(compiled(book({sonic}, {everywhere(0)})).runs[0].rule.backlog);
}

// --- runs

struct Stretch {
    std::uint32_t first{}, count{};
    bool operator==(const Stretch&) const = default;
};

std::ostream& operator<<(std::ostream& out, Stretch s) { return out << s.first << "+" << s.count; }

std::vector<Stretch> stretches(const Watchlist& list)
{
    std::vector<Stretch> all;
    for (const auto& run : list.runs) {
        all.push_back({run.first.value, run.count});
    }
    return all;
}

TEST(WatchlistRuns, SpanUnwatchedRows)
{
    EXPECT_EQ(stretches(compiled(book({preset("sonic")}, {everywhere(0)}))), (std::vector<Stretch>{{0, 18}}));
}

TEST(WatchlistRuns, BreakWhereTheRuleChanges)
{
    const auto list =
        compiled(book({preset("sonic"), preset("progress")}, {everywhere(0), {1, std::uint16_t{1}, std::nullopt}}));
    EXPECT_EQ(stretches(list), (std::vector<Stretch>{{0, 9}, {9, 9}}));
    EXPECT_EQ(list.runs[0].rule.criterion, Criterion::continuous);
    EXPECT_EQ(list.runs[1].rule.criterion, Criterion::progress);
}

TEST(WatchlistRuns, BreakWhereTheSpeedMatters)
{
    auto inventory = two_ports();
    for (std::size_t r = 9; r < 18; ++r) {
        inventory.rows[r].speed = BitRate{25'000'000'000};
    }
    const auto can = test::able(kAllFields);
    EXPECT_EQ(stretches(*compile(book({preset("progress")}, {everywhere(0)}), inventory, can)),
              (std::vector<Stretch>{{0, 9}, {9, 9}}));
    EXPECT_EQ(stretches(*compile(book({preset("sonic")}, {everywhere(0)}), inventory, can)),
              (std::vector<Stretch>{{0, 18}}))
        << "continuous pause does not need the speed";
}

TEST(WatchlistRuns, EveryWatchedRowStandsInExactlyOneRunWithItsRule)
{
    const auto list = compiled(book({preset("sonic"), preset("progress"), preset("pause-too-long")},
                                    {everywhere(1), {0, std::uint16_t{0}, std::nullopt}, everywhere(2)}));
    for (std::uint32_t r = 0; r < list.rows.size(); ++r) {
        const auto in = std::count_if(list.runs.begin(), list.runs.end(), [&](const watchdog::Run& run) {
            return r >= run.first.value && r < run.first.value + run.count &&
                   (list.rows[r].policy == kUnwatched ||
                    run.rule.criterion == list.policies[list.rows[r].policy].criterion);
        });
        EXPECT_EQ(in, 1) << "row " << r;
    }
}

// --- the poll interval

TEST(WatchlistPoll, IsTheShortestInUseButNotBelowTheDevicesRefresh)
{
    auto can = test::able(kAllFields);
    const auto both = book({preset("sonic"), preset("sai")}, {everywhere(0), {1, std::uint16_t{1}, std::nullopt}});
    EXPECT_EQ(compiled(both, can).poll, milliseconds{50});
    EXPECT_EQ(compiled(book({preset("sonic"), preset("sai")}, {everywhere(0)}), can).poll, milliseconds{100})
        << "a policy that watches nothing does not hurry the rest";
    can.refresh = milliseconds{80};
    EXPECT_EQ(compiled(both, can).poll, milliseconds{80});
    EXPECT_EQ(compiled(both, can).runs[0].rule.near_us, 100'000U);
    EXPECT_EQ(compiled(both, can).runs[1].rule.near_us, 80'000U);
}

// Two fresh samples at least: a NIC that refreshes its counters slowly is judged later, and the note says so.
TEST(WatchlistPoll, ReceiveStallsNeedTwoRefreshes)
{
    auto can = test::able(kAllFields);
    auto stall = preset("sonic");
    stall.name = "nic";
    stall.criterion = Criterion::receive_stall;
    stall.detect = milliseconds{100};
    stall.poll = milliseconds{10};
    const auto detect = [&](const Watchlist& list) { return list.policies[0].detect; };
    EXPECT_EQ(detect(compiled(book({stall}, {everywhere(0)}), can)), milliseconds{100});
    can.refresh = milliseconds{1'000};
    const auto slow = compiled(book({stall}, {everywhere(0)}), can);
    EXPECT_EQ(detect(slow), milliseconds{2'000});
    EXPECT_THAT(slow.notes,
                testing::Contains("nic: the device refreshes its counters every 1000 ms; the effective detect_ms is "
                                  "2000"));
    EXPECT_EQ(detect(compiled(book({preset("sonic")}, {everywhere(0)}), can)), milliseconds{400});
}

TEST(WatchlistPoll, SlowPollIsNoted)
{
    auto p = preset("sonic");
    p.poll = milliseconds{100};
    p.detect = milliseconds{400};
    EXPECT_TRUE(compiled(book({p}, {everywhere(0)})).notes.empty());
    p.detect = milliseconds{399};
    EXPECT_EQ(compiled(book({p}, {everywhere(0)})).notes,
              (std::vector<std::string>{
                  "sonic: poll_ms = 100 is more than a quarter of detect_ms = 399; storms may be detected late"}));
    p.criterion = Criterion::device;
    auto can = test::able(kAllFields);
    can.detects_itself = true;
    EXPECT_TRUE(compiled(book({p}, {everywhere(0)}), can).notes.empty());  // detection does not depend on looks
}

}  // namespace
}  // namespace petrel

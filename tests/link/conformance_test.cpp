// The cases that the two ends of a conforming link must pass, by their ids: L registers, P port errors, W width, M
// mapping. A is a switch port, B the NIC port that it is connected to. The cases of the manager are in
// conformance_log_test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "link/decode.hpp"
#include "link/link_play.hpp"

namespace petrel::link {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Pair = std::pair<int, int>;

Pair pair_of(const LinkPlay& play, Side side)
{
    const auto registers = play.read(side).registers;
    return {registers.ldr, registers.nldr};
}

struct Registered {
    const char* id;
    std::vector<ScriptEvent> script;
    Pair a;
    Pair b;
};

class LinkRegisters : public testing::TestWithParam<Registered> {};

TEST_P(LinkRegisters, Conform)
{
    LinkPlay play;
    for (const auto& event : GetParam().script) {
        EXPECT_EQ(play.act(event), std::nullopt);
    }
    EXPECT_EQ(pair_of(play, Side::a), GetParam().a);
    EXPECT_EQ(pair_of(play, Side::b), GetParam().b);
}

const std::vector<Registered> kRegistered{
    {"L01", {Down{Side::a, 39}}, {39, 0}, {0, 39}},
    {"L02", {DownBoth{41, 32}}, {41, 32}, {32, 41}},
    {"L03", {DownBoth{41, 32, true, false}}, {41, 0}, {32, 41}},
    {"L04", {Down{Side::a, 33, false}}, {33, 0}, {36, 0}},
    {"L05", {Loss{}}, {36, 0}, {36, 0}},
    {"L06", {PowerLoss{Side::a}}, {0, 0}, {36, 0}},
    {"L07", {Down{Side::b, 35}}, {0, 35}, {35, 0}},
    {"L08", {Down{Side::a, 0}}, {0, 0}, {36, 0}},
    {"L10", {Down{Side::a, 20}, Up{}, Down{Side::a, 32}}, {20, 0}, {0, 20}},
    {"L13", {Down{Side::a, 20}, Up{}, Arm{}, Activate{}, Down{Side::b, 35}}, {0, 35}, {35, 0}},
    {"L14_init", {Down{Side::a, 20}, Up{}}, {20, 0}, {0, 20}},
    {"L14_armed", {Down{Side::a, 20}, Up{}, Arm{}}, {0, 0}, {0, 0}},
    {"L16", {Loss{}, Write{Side::a, 20, 20, 1}}, {36, 0}, {36, 0}},
    {"L21", {Down{Side::a, 33, false}, LateReason{Side::b, 33}}, {33, 0}, {36, 0}},
    {"L29_36", {Receive{Side::a, 36}}, {0, 36}, {36, 0}},
    {"L29_49", {Receive{Side::a, 49}}, {0, 49}, {36, 0}},
    {"L29_50", {Receive{Side::a, 50}}, {0, 50}, {36, 0}},
    {"L29_51", {Receive{Side::a, 51}}, {0, 51}, {36, 0}},
    {"L29_54", {Receive{Side::a, 54}}, {0, 54}, {36, 0}},
    // Not in the list, but follows from it: a conforming end does not send local-only codes.
    {"a_local_only_code_is_not_sent", {Down{Side::a, 50}}, {50, 0}, {36, 0}},
    {"an_unknown_code_is_kept_raw", {Receive{Side::a, 62}}, {0, 62}, {36, 0}},
    {"training_fails_without_a_reason", {Loss{}, Up{}, Arm{}, Loss{}, TrainingFailure{Side::b}}, {36, 0}, {36, 0}},
    {"one_register_is_cleared", {DownBoth{41, 32}, Write{Side::a, 0, 1, 1}}, {0, 32}, {32, 41}},
    {"half_a_pair_is_still_one_event", {DownBoth{41, 32}, Write{Side::a, 0, 1, 1}, Up{}, Loss{}}, {0, 32}, {32, 41}},
};

INSTANTIATE_TEST_SUITE_P(Cases, LinkRegisters, testing::ValuesIn(kRegistered),
                         [](const auto& one) { return one.param.id; });

TEST(LinkConformance, L21TheLateReasonIsTheCorrelatedCause)
{
    LinkPlay play;
    for (const ScriptEvent& event :
         std::initializer_list<ScriptEvent>{Down{Side::a, 33, false}, LateReason{Side::b, 33}, Up{}, Sweep{5}}) {
        play.act(event);
    }
    ASSERT_THAT(play.history(Side::b).events(), SizeIs(1));
    EXPECT_EQ(play.history(Side::b).events()[0].correlated_cause, 33);
    play.act(LateReason{Side::b, 41});  // the first one is kept
    EXPECT_EQ(play.history(Side::b).events()[0].correlated_cause, 33);
    ASSERT_THAT(play.history(Side::a).events(), SizeIs(1));
    EXPECT_EQ(play.history(Side::a).events()[0].correlated_cause, std::nullopt);
}

TEST(LinkConformance, L29RaisesTheFlagOnce)
{
    LinkPlay play;
    play.act(Receive{Side::a, 36});
    EXPECT_TRUE(play.read(Side::a).protocol_violation);
    EXPECT_FALSE(play.read(Side::b).protocol_violation);
    for (const ScriptEvent& event : std::initializer_list<ScriptEvent>{Up{}, Arm{}, Activate{}, Receive{Side::a, 39}}) {
        play.act(event);
    }
    EXPECT_FALSE(play.read(Side::a).protocol_violation);
    ASSERT_THAT(play.history(Side::a).events(), SizeIs(1));
    EXPECT_TRUE(play.history(Side::a).events()[0].protocol_violation);
}

TEST(LinkConformance, N1AClearThatNamesAnotherEventIsIgnored)
{
    LinkPlay play;
    play.act(Loss{});
    EXPECT_NE(play.act(Write{Side::a, 0, 0, 2}), std::nullopt);
    EXPECT_NE(play.act(Write{Side::a, 0, 0, std::nullopt}), std::nullopt);
    EXPECT_EQ(pair_of(play, Side::a), Pair(36, 0));
    EXPECT_EQ(play.act(Write{Side::a, 0, 0, 1}), std::nullopt);
    EXPECT_EQ(pair_of(play, Side::a), Pair(0, 0));
    EXPECT_EQ(pair_of(play, Side::b), Pair(36, 0));
}

TEST(LinkConformance, TheSecondCauseIsOnlyCounted)
{
    LinkPlay play;
    play.act(Down{Side::a, 20});
    play.act(Up{});
    play.act(Down{Side::a, 32});
    play.act(Up{});
    play.act(Loss{});
    EXPECT_EQ(play.read(Side::a).registers, (Registers{20, 0, 1}));
    EXPECT_EQ(play.read(Side::a).suppressed, 2U);
    EXPECT_EQ(play.read(Side::b).suppressed, 2U);
}

TEST(LinkConformance, PowerTakesTheRegistersButNotTheNumbering)
{
    LinkPlay play;
    for (const ScriptEvent& event : std::initializer_list<ScriptEvent>{Loss{}, Sweep{1}, PowerLoss{Side::a}, Up{},
                                                                       Arm{}, Activate{}, Loss{}, Sweep{2}}) {
        play.act(event);
    }
    EXPECT_EQ(play.read(Side::a).registers, (Registers{36, 0, 2}));
    EXPECT_THAT(play.history(Side::a).events(), SizeIs(2))
        << "an old number would be taken for an event already logged";
}

// -- port errors

std::vector<std::uint8_t> real_bits()
{
    return {1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 31};
}

TEST(LinkConformance, P01TheMaskTakesTheLinkDown)
{
    for (const auto bit : real_bits()) {
        LinkPlay play;
        EXPECT_EQ(play.act(Mask{Side::a, PortErrorMask{1} << bit}), std::nullopt);
        play.act(PortError{Side::a, bit});
        EXPECT_EQ(pair_of(play, Side::a), Pair(bit + 1, 0));
        EXPECT_EQ(pair_of(play, Side::b), Pair(0, bit + 1));
    }
}

TEST(LinkConformance, P02WithoutTheMaskItIsCounted)
{
    LinkPlay play;
    for (const auto bit : real_bits()) {
        EXPECT_EQ(play.act(Mask{Side::a, 0}), std::nullopt);
        play.act(PortError{Side::a, bit});
    }
    EXPECT_EQ(pair_of(play, Side::a), Pair(0, 0));
    EXPECT_EQ(play.read(Side::a).state, LinkState::active);
    EXPECT_EQ(play.ignored_errors(Side::a), real_bits().size());
}

TEST(LinkConformance, P03TheDefaultMask)
{
    std::vector<int> codes;
    for (std::uint8_t bit = 0; bit < kPortErrorBits; ++bit) {
        LinkPlay play;
        play.act(PortError{Side::b, bit});
        if (pair_of(play, Side::b).first != 0) {
            codes.push_back(pair_of(play, Side::b).first);
        }
    }
    EXPECT_THAT(codes, ElementsAre(14, 17, 18, 19, 21));
}

TEST(LinkConformance, P10ReservedBitsAreRefused)
{
    const auto real = real_bits();
    for (std::uint8_t bit = 0; bit < kPortErrorBits; ++bit) {
        LinkPlay play;
        const bool reserved = std::find(real.begin(), real.end(), bit) == real.end();
        const auto mask = PortErrorMask{1} << bit;
        EXPECT_EQ(play.act(Mask{Side::a, mask}).has_value(), reserved) << int{bit};
        EXPECT_EQ(refused_bits(mask | kDefaultPortErrorMask), reserved ? mask : 0U) << int{bit};
        play.act(PortError{Side::a, bit});
        EXPECT_EQ(pair_of(play, Side::a), Pair(reserved ? 0 : bit + 1, 0));
    }
}

// -- width and speed

LinkEnd with_policy(LinkPolicy policy)
{
    LinkEnd end{LinkState::training};
    end.set_policy(policy);
    end.finish_training({4, 4, {25}});
    return end;
}

TEST(LinkConformance, W01TheWidthItCameUpWith)
{
    auto end = with_policy({});
    EXPECT_TRUE(end.change_shape({4, 4, {25}}, {}).accepted);
    EXPECT_TRUE(is_up(end.read().state));
}

TEST(LinkConformance, W02AnyLostLane)
{
    for (const auto shape : {LinkShape{3, 4, {25}}, LinkShape{4, 3, {25}}}) {
        auto end = with_policy({});
        EXPECT_EQ(end.change_shape(shape, {}).send_to_peer, kWidthPolicy);
        EXPECT_EQ(end.read().registers.ldr, 41);
    }
}

TEST(LinkConformance, W03OnlyTheWidthsAllowed)
{
    constexpr std::uint8_t kThreeOrFour = 0b1100;
    EXPECT_TRUE(is_up([&] {
        auto end = with_policy({kThreeOrFour, {}});
        end.change_shape({3, 4, {25}}, {});
        return end.read().state;
    }()));
    for (const auto shape :
         {LinkShape{2, 4, {25}}, LinkShape{4, 2, {25}}, LinkShape{0, 4, {25}}, LinkShape{9, 4, {25}}}) {
        auto end = with_policy({kThreeOrFour, {}});
        EXPECT_EQ(end.change_shape(shape, {}).send_to_peer, kWidthPolicy);
    }
}

TEST(LinkConformance, TooSlowIsCode40)
{
    auto end = with_policy({0b1111, {25}});
    EXPECT_TRUE(end.change_shape({4, 4, {25}}, {}).accepted);
    EXPECT_TRUE(is_up(end.read().state));
    EXPECT_EQ(end.change_shape({4, 4, {10}}, {}).send_to_peer, kSpeedPolicy);
}

// -- mapping

TEST(LinkConformance, M01CodesMapToThemselves)
{
    for (unsigned code = 0; code <= 255; ++code) {
        const auto decoded = decode("opa", std::to_string(code));
        ASSERT_TRUE(decoded);
        EXPECT_EQ(decoded->canonical, code);
        EXPECT_EQ(cause(decoded->canonical).wire, code);
    }
}

TEST(LinkConformance, M02TextsAreNoNumbers)
{
    const auto speed = decode("opa", "Speed Policy");
    ASSERT_THAT(speed->parts, SizeIs(2));
    EXPECT_EQ(speed->parts[0].canonical, 40);
    EXPECT_EQ(speed->parts[1].canonical, 57);
    EXPECT_EQ(speed->canonical, kUnclassified);
    EXPECT_THAT(speed->remarks, SizeIs(1));
    EXPECT_EQ(decode("opa", "Width Policy")->canonical, 41);
    EXPECT_EQ(decode("opa", "Width_Policy")->canonical, 58);
}

TEST(LinkConformance, M03OfflineReasonThree)
{
    const auto decoded = decode("opa", "offdis:3");
    EXPECT_EQ(decoded->canonical, 51);
    EXPECT_THAT(decoded->remarks, SizeIs(1)) << "a port that reboots shows 3 as well";
    EXPECT_THAT(decode("opa", "offdis:4")->remarks, IsEmpty());
}

}  // namespace
}  // namespace petrel::link

// The table of presets, the range of every parameter, and the checks of parameters against each other.
#include "watchdog/policy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;

const Preset& preset_named(std::string_view name) { return *find_preset(name); }

// A preset in one line: criterion, action, release; the timers with their ranges; the actions and queues to choose
// from.
std::string line(const Preset& preset)
{
    const auto& p = preset.policy;
    const auto timer = [&](std::string_view key, Bounds in) {
        return fmt::format("{} in {}..{}", parameter_text(p, key), in.least, in.most);
    };
    std::string actions;
    for (unsigned t = 0; t < static_cast<unsigned>(Treatment::count_); ++t) {
        if (has(preset.actions, static_cast<Treatment>(t))) {
            actions += fmt::format(" {}", action_name(static_cast<Treatment>(t)));
        }
    }
    return fmt::format("{} {} {} | {} | {} | {} |{} | {}", name(p.criterion), action_name(p.action), name(p.release),
                       timer("detect_ms", preset.detect_ms), timer("restore_ms", preset.restore_ms),
                       timer("poll_ms", preset.poll_ms), actions, parameter_text(p, "priorities"));
}

TEST(PresetTable, DefaultsAndRanges)
{
    EXPECT_EQ(line(preset_named("sonic")),
              "continuous drop auto | 400 in 100..5000 | 2000 in 100..60000 | 100 in 100..1000 | "
              "alert forward drop | 3,4");
    EXPECT_EQ(line(preset_named("sai")), "continuous drop auto | 200 in 1..60000 | 200 in 1..60000 | 50 in 1..1000 | "
                                         "alert forward drop | all");
    EXPECT_EQ(line(preset_named("rdma-switch")), "stalled lossless-off auto | 200 in 10..5000 | 200 in 10..60000 | "
                                                 "50 in 1..1000 | alert drop lossless-off | all");
    EXPECT_EQ(line(preset_named("rdma-nic")),
              "receive_stall mute manual | 100 in 80..8000 | 0 in 0..60000 | 10 in 1..1000 | "
              "alert mute port-down | all");
    EXPECT_EQ(line(preset_named("pause-too-long")), "pause_timeout squeeze auto | 0 in 0..60000 | 0 in 0..60000 | "
                                                    "10 in 1..1000 | alert squeeze | all");
    EXPECT_EQ(line(preset_named("progress")),
              "progress drop auto | 400 in 100..5000 | 2000 in 100..60000 | 100 in 1..1000 | "
              "alert forward drop | all");
}

TEST(PresetTable, EachPassesItsOwnCheckAndTakesItsOwnValues)
{
    for (const auto& p : presets()) {
        EXPECT_FALSE(p.about.empty());
        EXPECT_TRUE(check(p.policy).empty());
        for (const auto& parameter : parameters()) {
            Policy copy = p.policy;
            const auto text = parameter_text(p.policy, parameter.key);
            EXPECT_FALSE(set_parameter(copy, p, parameter.key, text)) << parameter.key << " = " << text;
            EXPECT_EQ(parameter_text(copy, parameter.key), text);
        }
    }
}

TEST(PresetTable, BackOffProbeAndLatchAreOffExceptForTheNic)
{
    for (const auto& one : presets()) {
        const auto& p = one.policy;
        EXPECT_EQ(p.backoff_max, Duration::zero()) << p.name;
        EXPECT_EQ(p.probe, Duration::zero()) << p.name;
        EXPECT_EQ(p.latch_count, p.name == "rdma-nic" ? 1U : 0U) << p.name;
    }
}

TEST(PresetTable, HasSixAndNoOther)
{
    EXPECT_EQ(presets().size(), 6U);
    EXPECT_EQ(find_preset("sonics"), nullptr);
    EXPECT_EQ(find_preset(""), nullptr);
}

TEST(PresetTable, RdmaSwitchLooksAtServerFacingBacklogOnly)
{
    EXPECT_TRUE(preset_named("rdma-switch").policy.host_facing_only);
    EXPECT_TRUE(preset_named("rdma-switch").policy.needs_backlog);
    EXPECT_FALSE(preset_named("sonic").policy.host_facing_only);
    EXPECT_FALSE(preset_named("sonic").policy.needs_backlog) << "detection also on an empty queue";
}

// --- every key at the limits of its range

struct Range {
    std::string_view preset, key;
    std::int64_t least{}, most{};
};

std::ostream& operator<<(std::ostream& out, const Range& r) { return out << r.preset << "." << r.key; }

class Ranges : public testing::TestWithParam<Range> {};

TEST_P(Ranges, TakeTheirEdgesAndNothingBeyond)
{
    const auto [preset_name, key, least, most] = GetParam();
    const auto& p = preset_named(preset_name);
    for (const auto inside : {least, most}) {
        Policy policy = p.policy;
        const auto text = std::to_string(inside);
        EXPECT_FALSE(set_parameter(policy, p, key, text)) << text;
        EXPECT_EQ(parameter_text(policy, key), text);
    }
    const auto before = parameter_text(p.policy, key);
    const std::vector<std::string> bad{std::to_string(least - 1),
                                       std::to_string(most + 1),
                                       "",
                                       " ",
                                       "x",
                                       "100x",
                                       " 100",
                                       "100 ",
                                       "+100",
                                       "1e3",
                                       "0x64",
                                       "100.0",
                                       "99999999999999999999999"};
    for (const auto& text : bad) {
        Policy policy = p.policy;
        const auto problem = set_parameter(policy, p, key, text);
        ASSERT_TRUE(problem) << "'" << text << "'";
        EXPECT_EQ(problem->key, key);
        EXPECT_EQ(problem->value, text);
        EXPECT_EQ(problem->allowed, "a whole number " + std::to_string(least) + ".." + std::to_string(most));
        EXPECT_EQ(parameter_text(policy, key), before) << "nothing is changed by '" << text << "'";
    }
}

INSTANTIATE_TEST_SUITE_P(
    EveryKey, Ranges,
    testing::Values(Range{"sonic", "detect_ms", 100, 5000}, Range{"sonic", "restore_ms", 100, 60000},
                    Range{"sonic", "poll_ms", 100, 1000}, Range{"sai", "detect_ms", 1, 60000},
                    Range{"sai", "restore_ms", 1, 60000}, Range{"sai", "poll_ms", 1, 1000},
                    Range{"rdma-switch", "detect_ms", 10, 5000}, Range{"rdma-nic", "detect_ms", 80, 8000},
                    Range{"rdma-nic", "restore_ms", 0, 60000}, Range{"pause-too-long", "detect_ms", 0, 60000},
                    Range{"progress", "detect_ms", 100, 5000}, Range{"sonic", "probe_ms", 0, 5000},
                    Range{"rdma-nic", "probe_ms", 0, 8000}, Range{"sonic", "backoff_max_ms", 0, 600000},
                    Range{"sonic", "latch_count", 0, 32}, Range{"sonic", "latch_window_ms", 0, 3600000},
                    Range{"sonic", "slack_ppm", 0, 100000}, Range{"sonic", "floor_ppm", 0, 100000},
                    Range{"progress", "leak", 1, 4}, Range{"sai", "interval_tolerance", 0, 100}));

struct Word {
    std::string_view key;
    std::vector<std::string_view> good, bad;
};

class Words : public testing::TestWithParam<Word> {};

TEST_P(Words, AcceptListedValuesOnly)
{
    const auto& sonic = preset_named("sonic");
    for (const auto text : GetParam().good) {
        Policy policy = sonic.policy;
        EXPECT_FALSE(set_parameter(policy, sonic, GetParam().key, text)) << text;
        EXPECT_EQ(parameter_text(policy, GetParam().key), text);
    }
    for (const auto text : GetParam().bad) {
        Policy policy = sonic.policy;
        const auto problem = set_parameter(policy, sonic, GetParam().key, text);
        ASSERT_TRUE(problem) << "'" << text << "'";
        EXPECT_FALSE(problem->allowed.empty());
        EXPECT_EQ(parameter_text(policy, GetParam().key), parameter_text(sonic.policy, GetParam().key));
    }
}

INSTANTIATE_TEST_SUITE_P(
    EveryKey, Words,
    testing::Values(
        Word{"action", {"alert", "forward", "drop"}, {"", "Drop", "none", "squeeze", "drop-egress", "drop "}},
        Word{"release", {"auto", "forced", "manual"}, {"", "quiet", "AUTO", "auto,forced"}},
        Word{"needs_backlog", {"true", "false"}, {"", "1", "yes", "True"}},
        Word{"host_facing_only", {"true", "false"}, {"", "0", "no"}}, Word{"clip", {"true", "false"}, {"", "1", "no"}},
        Word{"latch_across_reboot", {"true", "false"}, {"", "1", "yes"}},
        Word{"port_down_if_refused", {"true", "false"}, {"", "1", "yes"}},
        Word{"detected_by", {"petrel"}, {"", "device", "Petrel", "nobody"}},
        Word{"priorities",
             {"all", "0", "7", "3,4", "0,1,2,3,4,5,6"},
             {"", ",", "3,", ",3", "8", "-1", "3;4", "3, 4", "all,3"}}),
    [](const auto& one) { return std::string{one.param.key}; });

TEST(SetParameter, EveryKeyIsCoveredAbove)
{
    EXPECT_EQ(parameters().size(), 20U) << "a new parameter needs its row in Ranges or Words";
}

TEST(SetParameter, OnlySaiLetsTheDeviceDetect)
{
    Policy policy = preset_named("sai").policy;
    EXPECT_FALSE(set_parameter(policy, preset_named("sai"), "detected_by", "device"));
    EXPECT_EQ(policy.criterion, Criterion::device);
    EXPECT_FALSE(set_parameter(policy, preset_named("sai"), "detected_by", "petrel"));
    EXPECT_EQ(policy.criterion, Criterion::continuous);
}

TEST(SetParameter, RepeatedAndUnsortedPrioritiesAreOneSet)
{
    Policy policy = preset_named("sonic").policy;
    EXPECT_FALSE(set_parameter(policy, preset_named("sonic"), "priorities", "4,3,4"));
    EXPECT_EQ(parameter_text(policy, "priorities"), "3,4");
}

TEST(SetParameter, UnknownKeyIsAProblem)
{
    Policy policy = preset_named("sonic").policy;
    for (const auto key : {"", "detect", "detect-ms", "name"}) {
        const auto problem = set_parameter(policy, preset_named("sonic"), key, "100");
        ASSERT_TRUE(problem) << key;
        EXPECT_EQ(problem->key, key);
    }
}

TEST(SetParameter, ChangesOnlyItsParameter)
{
    for (const auto& one : parameters()) {
        Policy policy = preset_named("sonic").policy;
        const std::map<std::string_view, std::string_view> other{{"action", "forward"},
                                                                 {"release", "manual"},
                                                                 {"needs_backlog", "true"},
                                                                 {"host_facing_only", "true"},
                                                                 {"priorities", "0"},
                                                                 {"detected_by", "petrel"},
                                                                 {"latch_count", "3"},
                                                                 {"leak", "2"},
                                                                 {"clip", "true"},
                                                                 {"interval_tolerance", "5"},
                                                                 {"latch_across_reboot", "true"},
                                                                 {"port_down_if_refused", "true"}};
        const auto value = other.contains(one.key) ? other.at(one.key) : "777";
        ASSERT_FALSE(set_parameter(policy, preset_named("sonic"), one.key, value)) << one.key;
        EXPECT_EQ(parameter_text(policy, one.key), value);
        for (const auto& rest : parameters()) {
            if (rest.key != one.key) {
                EXPECT_EQ(parameter_text(policy, rest.key), parameter_text(preset_named("sonic").policy, rest.key));
            }
        }
    }
}

RC_GTEST_PROP(SetParameterLaw, AcceptedValuesReadBackTheSame, ())
{
    const auto& p = *rc::gen::elementOf(std::vector<const Preset*>{&presets()[0], &presets()[2], &presets()[3]});
    const auto keys = parameters();
    const auto key = keys[*rc::gen::inRange<std::size_t>(0, keys.size())].key;
    const auto text =
        *rc::gen::oneOf(rc::gen::map(rc::gen::inRange(-10, 70'000), [](int n) { return std::to_string(n); }),
                        rc::gen::string<std::string>(),
                        rc::gen::container<std::string>(rc::gen::elementOf(std::string{"01234567,al "})));
    Policy policy = p->policy;
    if (!set_parameter(policy, *p, key, text)) {
        Policy again = p->policy;
        RC_ASSERT(!set_parameter(again, *p, key, parameter_text(policy, key)));
        RC_ASSERT(parameter_text(again, key) == parameter_text(policy, key));
    } else {
        RC_ASSERT(parameter_text(policy, key) == parameter_text(p->policy, key));
    }
}

// --- parameters that do not fit together

std::string keys_of(const std::vector<Problem>& problems)
{
    std::string keys;
    for (const auto& p : problems) {
        keys += (keys.empty() ? "" : " ") + p.key;
    }
    return keys;
}

TEST(CheckPolicy, TimersAreNotBelowThePoll)
{
    Policy p = preset_named("sonic").policy;
    p.poll = milliseconds{1000};
    EXPECT_EQ(keys_of(check(p)), "detect_ms");
    p.restore = milliseconds{500};
    EXPECT_EQ(keys_of(check(p)), "detect_ms restore_ms") << "all problems at once";
    p.detect = p.restore = milliseconds{1000};
    EXPECT_EQ(keys_of(check(p)), "");
    p.detect = p.restore = Duration::zero();
    EXPECT_EQ(keys_of(check(p)), "") << "zero means at once";
}

TEST(CheckPolicy, CountedLatchesNeedAWindow)
{
    Policy p = preset_named("sonic").policy;
    p.latch_count = 1;
    EXPECT_EQ(keys_of(check(p)), "") << "the first storm latches: nothing is counted";
    p.latch_count = 2;
    EXPECT_EQ(keys_of(check(p)), "latch_window_ms");
    p.latch_window = milliseconds{1};
    EXPECT_EQ(keys_of(check(p)), "");
}

TEST(CheckPolicy, ProbeIsNotLongerThanDetection)
{
    Policy p = preset_named("sonic").policy;
    p.probe = p.detect;
    EXPECT_EQ(keys_of(check(p)), "");
    p.probe += milliseconds{1};
    EXPECT_EQ(keys_of(check(p)), "probe_ms");
}

TEST(CheckPolicy, BackOffDoesNotEndBelowWhereItBegins)
{
    Policy p = preset_named("sonic").policy;
    p.backoff_max = p.restore;
    EXPECT_EQ(keys_of(check(p)), "");
    p.backoff_max -= milliseconds{1};
    EXPECT_EQ(keys_of(check(p)), "backoff_max_ms");
}

}  // namespace
}  // namespace petrel

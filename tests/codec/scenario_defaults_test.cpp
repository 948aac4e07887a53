// Tables that scenarios share: which of them apply, where they may be, and the place that complaints and expectations
// name.
#include "codec/scenario/defaults.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/scenario/reader.hpp"
#include "golden.hpp"

namespace petrel::codec {
namespace {

using testing::ElementsAre;

constexpr std::string_view kOwn = R"(name = "own"
duration = "1ms"
defaults = "../defaults/shared.toml"
[topology]
kind = "single-switch"
hosts = 3
[[expect]]
kind = "drops"
frames = 0
)";

ReadText shared(std::string text)
{
    return [text = std::move(text)](const std::string&) -> Result<std::string> { return text; };
}

Parsed<scenario::Scenario> with_defaults(std::string text, std::string_view own = kOwn)
{
    return read_whole_scenario(own, "plans/a/own.toml", {}, shared(std::move(text)));
}

std::string complaints_of(const Parsed<scenario::Scenario>& parsed)
{
    return parsed ? "none\n" : golden::lines(parsed.error());
}

scenario::Scenario usable(Parsed<scenario::Scenario> parsed)
{
    EXPECT_TRUE(parsed.has_value()) << complaints_of(parsed);
    return std::move(parsed).value_or(scenario::Scenario{});
}

TEST(ScenarioDefaults, ExpectationsComeFirstAndNameTheirFileAndLine)
{
    const auto scenario = usable(with_defaults("\n[[expect]]\nkind = \"state\"\npaused = 0\n\n[[expect]]\n"
                                               "kind = \"state\"\nmitigated = 0\n"));
    std::vector<std::string> places;
    for (const auto& expectation : scenario.expectations) {
        places.push_back(fmt::format("{}:{} {}", expectation.file, expectation.line, expectation.subject));
    }
    EXPECT_THAT(places, ElementsAre("plans/defaults/shared.toml:2 state: paused",
                                    "plans/defaults/shared.toml:6 state: mitigated", ":7 drops: frames"));
}

TEST(ScenarioDefaults, AScenarioWithoutTheListGetsTheSharedList)
{
    constexpr std::string_view kNoList = "name = \"own\"\nduration = \"1ms\"\ndefaults = \"defaults/x.toml\"\n"
                                         "topology = { kind = \"single-switch\", hosts = 2 }\n";
    const auto scenario = usable(with_defaults("[[expect]]\nkind = \"drops\"\nframes = 0\n", kNoList));
    ASSERT_EQ(scenario.expectations.size(), 1U);
    EXPECT_EQ(scenario.expectations[0].file, "plans/a/defaults/x.toml");
}

TEST(ScenarioDefaults, AKeyOfTheScenarioReplacesTheSharedOne)
{
    EXPECT_EQ(usable(with_defaults("seed = 9\n[topology]\nkind = \"ring\"\n")).setup.seed, 9U);
    const auto scenario = usable(with_defaults("[topology]\nkind = \"ring\"\nswitches = 9\n"));
    EXPECT_EQ(scenario.setup.topology.nodes.size(), 4U) << "three hosts and their switch";
}

TEST(ScenarioDefaults, ASwitchOfTheScenarioOverridesTheSharedOne)
{
    const auto text = "[[switch]]\nbuffer = \"1MiB\"\n";
    const auto of_shared = usable(with_defaults(text)).setup;
    EXPECT_EQ(of_shared.switch_profiles[of_shared.profile(3)].buffer_bytes, 1U << 20U);
    const auto own = std::string{kOwn} + "[[switch]]\nbuffer = \"2MiB\"\n";
    const auto of_own = usable(with_defaults(text, own)).setup;
    EXPECT_EQ(of_own.switch_profiles[of_own.profile(3)].buffer_bytes, 2U << 20U);
}

TEST(ScenarioDefaults, ComplaintsNameTheFileTheyAreAbout)
{
    const auto own = std::string{kOwn} + "[[expect]]\nkind = \"dorps\"\n";
    EXPECT_EQ(complaints_of(with_defaults("[[expect]]\nkind = \"dorps\"\n[[policy]]\npreset = \"sonic\"\n"
                                          "ports = [\"Ethernet99\"]\n[sonic]\n",
                                          own)),
              "plans/a/own.toml:11:8: value 'dorps': allowed a known word, the nearest is 'drops'\n"
              "plans/defaults/shared.toml:2:8: value 'dorps': allowed a known word, the nearest is 'drops'\n"
              "plans/defaults/shared.toml:5:10: value 'Ethernet99': allowed a port of the device, the nearest is "
              "'Ethernet0'\n"
              "plans/defaults/shared.toml:6:2: value 'sonic': allowed a known key, the nearest is 'nic'\n");
    EXPECT_EQ(complaints_of(with_defaults("[[expect]\n")),
              "plans/defaults/shared.toml:1:10: value '[[expect]': allowed TOML (Error while parsing table header: "
              "expected ']', saw '\\n')\n");
    EXPECT_EQ(complaints_of(with_defaults(std::string(129, '.'))),
              fmt::format("plans/defaults/shared.toml:1:1: value '{}...': allowed at most 128 dots in a line\n",
                          std::string(60, '.')));
}

TEST(ScenarioDefaults, KeysOfOneScenarioCannotBeShared)
{
    for (const std::string key : {"name", "about", "defaults"}) {
        EXPECT_EQ(
            complaints_of(with_defaults(fmt::format("{} = \"defaults/more.toml\"\n", key))),
            fmt::format("plans/defaults/shared.toml:1:1: value '{}': allowed a key that scenarios may share; this "
                        "one belongs to each scenario\n",
                        key));
    }
    for (const std::string key : {"parameters", "full", "sweep"}) {
        EXPECT_THAT(complaints_of(with_defaults(fmt::format("{} = {{ n = 1 }}\n", key))),
                    testing::StartsWith(fmt::format("plans/defaults/shared.toml:1:1: value '{}'", key)));
    }
}

TEST(ScenarioDefaults, AListStaysAList)
{
    EXPECT_EQ(complaints_of(with_defaults("[expect]\nkind = \"drops\"\n")),
              "plans/defaults/shared.toml:1:1: allowed tables [[expect]], as in the scenario\n");
    EXPECT_EQ(complaints_of(with_defaults("expect = [1]\n")),
              "plans/defaults/shared.toml:1:10: value '[...]': allowed tables [[expect]], as in the scenario\n");
}

// The paths that a scenario makes the reader read.
std::vector<std::string> paths_read(std::string_view value, const std::string& file, std::string* text = nullptr)
{
    std::vector<std::string> paths;
    const auto read = [&](const std::string& path) -> Result<std::string> {
        paths.push_back(path);
        return "";
    };
    const auto found = read_defaults(fmt::format("defaults = {}\n", value), file, read);
    if (text != nullptr && !found) {
        *text = golden::lines(found.error());
    }
    return paths;
}

TEST(ScenarioDefaults, ThePathIsRelativeToTheFolderOfTheScenario)
{
    EXPECT_THAT(paths_read("\"defaults/x.toml\"", "plans/a/own.toml"), ElementsAre("plans/a/defaults/x.toml"));
    EXPECT_THAT(paths_read("\"../defaults/x.toml\"", "plans/a/own.toml"), ElementsAre("plans/defaults/x.toml"));
    EXPECT_THAT(paths_read("\"../defaults/x.toml\"", "/etc/plans/own.toml"), ElementsAre("/etc/defaults/x.toml"));
    EXPECT_THAT(paths_read("\"defaults/x.toml\"", "-"), ElementsAre("defaults/x.toml"));
}

TEST(ScenarioDefaults, NoOtherPathIsRead)
{
    for (const std::string_view value :
         {R"("/etc/passwd")", R"("/defaults/x.toml")", R"("x.toml")", R"("../x.toml")", R"("../../defaults/x.toml")",
          R"("defaults/../x.toml")", R"("defaults/deep/x.toml")", R"("defaults/../../x.toml")", R"("defaults/.toml")",
          R"("defaults/x")", R"("./defaults/x.toml")", R"("defaults//etc/x.toml")", R"("defaults/x\u0000.toml")",
          R"("defaults/x\n.toml")", R"("")", "7", R"(["defaults/x.toml"])"}) {
        std::string text;
        EXPECT_THAT(paths_read(value, "own.toml", &text), testing::IsEmpty()) << value;
        EXPECT_THAT(text, testing::StartsWith("own.toml:1:12: ")) << value;
    }
}

TEST(ScenarioDefaults, AFileThatCannotBeReadIsAComplaintAboutTheKey)
{
    const auto fail = [](const std::string& file) -> Result<std::string> {
        return tl::unexpected(Error{ErrorKind::unreachable, "cannot open " + file});
    };
    EXPECT_EQ(complaints_of(read_whole_scenario(kOwn, "plans/a/own.toml", {}, fail)),
              "plans/a/own.toml:3:12: value '../defaults/shared.toml': allowed a file of defaults (cannot open "
              "plans/defaults/shared.toml)\n");
}

TEST(ScenarioDefaults, ATextWithoutAFileCannotHaveThem)
{
    EXPECT_EQ(complaints_of(read_scenario(kOwn, "own.toml")),
              "own.toml:3:12: value '../defaults/shared.toml': allowed no defaults: this scenario is not read from a "
              "file\n");
}

}  // namespace
}  // namespace petrel::codec

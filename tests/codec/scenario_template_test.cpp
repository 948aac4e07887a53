// Parameters of a scenario file: how and where ${name} is replaced, and the complaints.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "codec/scenario/reader.hpp"
#include "codec/scenario/template.hpp"
#include "golden.hpp"

namespace petrel::codec {
namespace {

constexpr std::string_view kParameters = R"([parameters]
n = 3
half = 0.5
on = true
speed = "10G"
[below]
)";

// The text below the parameters, with its parameters replaced.
std::string filled(std::string_view text, const Settings& settings = {})
{
    const auto whole = fill_in(std::string{kParameters} + std::string{text}, "test.toml", settings);
    EXPECT_TRUE(whole) << golden::lines(whole ? std::vector<Complaint>{} : whole.error());
    return whole ? whole->substr(kParameters.size()) : "";
}

std::string complaints(std::string_view text, const Settings& settings = {})
{
    const auto whole = fill_in(text, "test.toml", settings);
    return whole ? "no complaint\n" : golden::lines(whole.error());
}

TEST(ScenarioTemplate, AWholeStringTakesTheTypeOfTheValue)
{
    EXPECT_EQ(filled("a = \"${n}\""), "a = 3");
    EXPECT_EQ(filled("a = \"${half}\""), "a = 0.5");
    EXPECT_EQ(filled("a = \"${on}\""), "a = true");
    EXPECT_EQ(filled("a = \"${speed}\""), "a = \"10G\"");
    EXPECT_EQ(filled("a = [\"${n}\", \"${speed}\", \"${on}\"]"), "a = [3, \"10G\", true]");
}

TEST(ScenarioTemplate, APartOfAStringStaysText)
{
    EXPECT_EQ(filled("a = \"s${n}:Ethernet${n}\""), "a = \"s3:Ethernet3\"");
    EXPECT_EQ(filled("a = \">= ${speed}\""), "a = \">= 10G\"");
    EXPECT_EQ(filled("a = \"${n}ms\""), "a = \"3ms\"");
    EXPECT_EQ(filled("a = \"h${n}\""), "a = \"h3\"");
    EXPECT_EQ(filled("a = \"${n}${n}\""), "a = \"33\"");
    EXPECT_EQ(filled("a = \"${n}..${half}\""), "a = \"3..0.5\"");
}

TEST(ScenarioTemplate, RecognisesNumbers)
{
    for (const auto* number : {"0", "7", "-8", "+5", "10", "0.25", "-0.5", "12.0", "true", "false"}) {
        EXPECT_EQ(filled("a = \"${n}\"", {{"n", number}}), std::string{"a = "} + number);
    }
    for (const auto* text :
         {"", "-", "007", "-01", ".5", "5.", "1.2.3", "1e5", "0x10", "1_000", "True", "3 ", "10ms"}) {
        EXPECT_EQ(filled("a = \"${n}\"", {{"n", text}}), std::string{"a = \""} + text + '"');
    }
}

TEST(ScenarioTemplate, ASettingTakesThePlaceOfTheDefault)
{
    EXPECT_EQ(filled("a = \"${n}\"\nb = \"${speed}\"\n", {{"n", "sonic"}}), "a = \"sonic\"\nb = \"10G\"\n");
}

TEST(ScenarioTemplate, AValueIsNotFilledInAgain)
{
    EXPECT_EQ(filled("a = \"{${n}}\"", {{"n", "{n}"}}), "a = \"{{n}}\"");
}

TEST(ScenarioTemplate, CommentsStayUnchanged)
{
    EXPECT_EQ(filled("# ${nothing}, and ${unclosed\na = \"${n}\"\n#${n}"),
              "# ${nothing}, and ${unclosed\na = 3\n#${n}");
}

TEST(ScenarioTemplate, EveryEndOfLineIsKept)
{
    EXPECT_EQ(filled("\n\na = \"${n}\"\r\n\n"), "\n\na = 3\r\n\n");
    EXPECT_EQ(filled(""), "");
}

TEST(ScenarioTemplate, ReadsParametersFullSizeAndSweeps)
{
    const auto read = read_template(std::string{kParameters} + R"(
[full]
n = 64
[sweep]
speed = ["10G", "100G"]
n = [1, 2, 3]
)",
                                    "test.toml");
    ASSERT_TRUE(read) << golden::lines(read.error());
    EXPECT_EQ(read->parameters, (Settings{{"half", "0.5"}, {"n", "3"}, {"on", "true"}, {"speed", "10G"}}));
    EXPECT_EQ(read->full, (Settings{{"n", "64"}}));
    ASSERT_EQ(read->sweeps.size(), 2U);
    EXPECT_EQ(read->sweeps[0].name, "n");
    EXPECT_EQ(read->sweeps[0].values, (std::vector<std::string>{"1", "2", "3"}));
    EXPECT_EQ(read->sweeps[1].values, (std::vector<std::string>{"10G", "100G"}));
}

TEST(ScenarioTemplate, SettingsThatDoNotFit)
{
    EXPECT_EQ(complaints("a = 1", {{"n", "1"}}),
              "test.toml: value 'n': allowed nothing: the scenario has no [parameters]\n");
    EXPECT_EQ(complaints(kParameters, {{"sped", "1G"}, {"zebra", "1"}, {"n", "a\"b"}}),
              "test.toml: value 'a\"b': allowed a value for n without quotes, backslashes and dollars\n"
              "test.toml: value 'sped': allowed a parameter, the nearest is 'speed'\n"
              "test.toml: value 'zebra': allowed a parameter, one of half, n, on, speed\n");
    for (const auto* bad : {"a\\b", "${n}", "a\nb", "\x1b[1m"}) {
        EXPECT_NE(complaints(kParameters, {{"n", bad}}), "no complaint\n") << bad;
    }
}

// The exact text: tests/golden/codec/template.
TEST(ScenarioTemplate, Complaints)
{
    for (const auto& path : golden::inputs("template")) {
        golden::expect_same(path, [&] {
            const auto whole = fill_in(golden::content(path), path.filename().string(), {});
            return whole ? "no complaint\n" : golden::lines(whole.error());
        }());
    }
}

// Complaints after the replacement have the place in the original file.
TEST(ScenarioTemplate, LaterComplaintsNameTheRightPlace)
{
    constexpr std::string_view kText = R"(name = "x"
duration = "${how_long}"
[parameters]
how_long = "2ms"
speed = "10G"
number = 12345
[topology]
kind = "single-switch"
hosts = "${number}"
host_links = { speed = "${speed}" }
[[traffic]]
from = "h${number}"
to = "h1"
)";
    const auto scenario_complaints = [&](const Settings& settings) {
        const auto text = fill_in(kText, "test.toml", settings);
        EXPECT_TRUE(text);
        const auto scenario = read_scenario(text.value_or(""), "test.toml");
        return scenario ? std::string{"no complaint\n"} : golden::lines(scenario.error());
    };
    EXPECT_EQ(
        scenario_complaints({{"number", "2"}, {"how_long", "soon"}}),
        "test.toml:2:12: value 'soon': allowed a time such as \"20ms\": ps, ns, us, ms, s or min; at most a week\n"
        "test.toml:12:8: value 'h2': allowed a host of the topology, the nearest is 'h0'\n");
    EXPECT_EQ(
        scenario_complaints({{"number", "1"}, {"speed", "fast"}}),
        "test.toml:10:24: value 'fast': allowed a rate such as \"100G\": K, M, G or T bits a second; 10M to 3.2T\n"
        "test.toml:12:8: value 'h1': allowed a host of the topology, the nearest is 'h0'\n"
        "test.toml:13:6: value 'h1': allowed a host of the topology, the nearest is 'h0'\n");
}

// A file without ${ stays unchanged, whatever it contains.
RC_GTEST_PROP(ScenarioTemplateLaw, NothingToFillInChangesNothing, ())
{
    const auto values = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("3", "\"$\"", "\"{n}\"", "[1, \"}\"]", "true # $ {n}", "\"\"", "0.5\r"));
    std::string text = *rc::gen::element<std::string>("", "# of ${nobody}\n", "\n\n");
    for (std::size_t i = 0; i < values.size(); ++i) {
        text += fmt::format("k{} = {}\n", i, values[i]);
    }
    text += *rc::gen::element<std::string>("", "[parameters]\nn = 3", "[parameters]\nn = \"x\"\n[sweep]\nn = [1, 2]\n");
    const auto filled_in = fill_in(text, "law.toml", {});
    RC_ASSERT(filled_in.has_value());
    RC_ASSERT(*filled_in == text);
}

// A setting equal to the default has the same result as no setting.
RC_GTEST_PROP(ScenarioTemplateLaw, SettingTheDefaultChangesNothing, ())
{
    const auto number = *rc::gen::arbitrary<std::int16_t>();
    const auto places = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("\"${n}\"", "\"h${n}\"", "\"${n}ms\"", "[\"${n}\", \"x\"]"));
    std::string text = fmt::format("[parameters]\nn = {}\n[below]\n", number);
    for (std::size_t i = 0; i < places.size(); ++i) {
        text += fmt::format("k{} = {}\n", i, places[i]);
    }
    const auto silent = fill_in(text, "law.toml", {});
    const auto aloud = fill_in(text, "law.toml", {{"n", fmt::format("{}", number)}});
    RC_ASSERT(silent.has_value() && aloud.has_value());
    RC_ASSERT(*silent == *aloud);
    RC_ASSERT(silent->find("${") == std::string::npos);
}

}  // namespace
}  // namespace petrel::codec

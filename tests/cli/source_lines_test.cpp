// The line of a file below the problems that it has.
#include "terminal/source_lines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <vector>

#include "support/temporary_folder.hpp"

namespace petrel {
namespace {

std::string marked(std::string_view line, std::vector<std::uint32_t> columns) { return marked_line(line, columns); }

TEST(SourceLines, HaveACaretBelowEachColumn)
{
    EXPECT_EQ(marked("a,bc,d", {1, 3, 6}), "    a,bc,d\n    ^ ^  ^\n");
    EXPECT_EQ(marked("ab", {3}), "    ab\n      ^\n") << "something is missing at the end";
    EXPECT_EQ(marked("", {1}), "    \n    ^\n");
}

TEST(SourceLines, CountCharactersAndEscapeThem)
{
    EXPECT_EQ(marked("\xc3\xa4\tb", {3}), "    \xc3\xa4 b\n      ^\n");
    EXPECT_EQ(marked("\x1b[2Jb\r", {5}), "    \\x1b[2Jb\n           ^\n");
}

TEST(SourceLines, AreCutAroundTheFirstMark)
{
    const auto text = marked(std::string(200, 'a') + 'X' + std::string(200, 'b'), {201, 401});
    EXPECT_EQ(text,
              "    " + std::string(40, 'a') + 'X' + std::string(59, 'b') + "\n    " + std::string(40, ' ') + "^\n");
}

TEST(SourceLines, FollowTheLastProblemOfTheirLine)
{
    const petrel::test::TemporaryFolder folder;
    const auto path = (folder / "x.csv").string();
    std::ofstream{path} << "time,prt\n1,2\n\n4,5";
    const auto at = [&](std::uint32_t line, std::uint32_t column) { return Complaint{path, line, column, "v", "w"}; };
    const std::array all{at(1, 1), at(1, 6), at(4, 3), at(9, 1), at(0, 0), Complaint{"-", 1, 1, "v", "w"}};
    const auto said = [&](const char* place) { return path + place + ": value 'v': allowed w\n"; };
    EXPECT_EQ(with_source_lines(all), said(":1:1") + said(":1:6") + "    time,prt\n    ^    ^\n" + said(":4:3") +
                                          "    4,5\n      ^\n" + said(":9:1") + said("") +
                                          "-:1:1: value 'v': allowed w\n");
}

TEST(SourceLines, OfAScenarioWithParametersAreLeftOut)
{
    const petrel::test::TemporaryFolder folder;
    const auto path = (folder / "x.toml").string();
    std::ofstream{path} << "rate = ${rate}\n";
    const std::array one{Complaint{path, 1, 8, "v", "w"}};
    EXPECT_EQ(with_source_lines(one), path + ":1:8: value 'v': allowed w\n");
}

}  // namespace
}  // namespace petrel

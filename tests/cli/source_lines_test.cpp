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

TEST(SourceLines, FitTheTerminal)
{
    const std::vector<std::uint32_t> columns{41};
    const auto line = std::string(40, 'a') + 'X' + std::string(40, 'b');
    EXPECT_EQ(marked_line(line, columns, 24),
              "    " + std::string(8, 'a') + 'X' + std::string(11, 'b') + "\n    " + std::string(8, ' ') + "^\n");
    const std::array one{Complaint{"no such file", 1, 1, "v", "one two three four"}};
    EXPECT_EQ(with_source_lines(one, 30), "no such file:1:1: value 'v':\n    allowed one two three four\n");
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

TEST(SourceLines, HaveNoMarkBehindAParameter)
{
    const petrel::test::TemporaryFolder folder;
    const auto path = (folder / "x.toml").string();
    std::ofstream{path} << "rate = \"${rate}\"\n";
    const std::array value{Complaint{path, 1, 8, "v", "w"}};
    EXPECT_EQ(with_source_lines(value), path + ":1:8: value 'v': allowed w\n    rate = \"${rate}\"\n           ^\n");
    const std::array behind{Complaint{path, 1, 12, "v", "w"}};
    EXPECT_EQ(with_source_lines(behind), path + ":1:12: value 'v': allowed w\n")
        << "the value of the parameter may have another length than its name";
}

}  // namespace
}  // namespace petrel

#include "base/csv_cell.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel {
namespace {

TEST(CsvCell, ANameIsNoFormula)
{
    EXPECT_EQ(csv_cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
    EXPECT_EQ(csv_cell("=LINK(\"http://x\",\"y\")"), "\"'=LINK(\"\"http://x\"\",\"\"y\"\")\"");
    EXPECT_EQ(csv_cell("+1+1"), "'+1+1");
    EXPECT_EQ(csv_cell("-2+3+cmd|' /C calc'!A0"), "'-2+3+cmd|' /C calc'!A0");
    EXPECT_EQ(csv_cell("@SUM(1)"), "'@SUM(1)");
    EXPECT_EQ(csv_cell("\t=1"), "\"'\t=1\"");
}

TEST(CsvCell, NumbersAndOrdinaryNamesStayAsTheyAre)
{
    for (const auto* text :
         {"Ethernet4", "leaf-1", "a=b", "10.0.0.1", "x@y", "", "'quoted'", "-1", "+7", "-0.25", "400"}) {
        EXPECT_EQ(csv_cell(text), text);
        EXPECT_EQ(text_of_csv_cell(text), text);
    }
    EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_cell("-1.2.3"), "'-1.2.3");
    EXPECT_EQ(csv_cell("-"), "'-");
}

RC_GTEST_PROP(CsvCellLaw, IsNeverAFormulaAndLosesNothing, ())
{
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string{"=+-@\t\r\n'\", .17a"}));
    auto cell = csv_cell(text);
    if (cell.starts_with('"')) {
        RC_ASSERT(cell.size() >= 2 && cell.ends_with('"'));
        cell = cell.substr(1, cell.size() - 2);
        for (auto at = cell.find("\"\""); at != cell.npos; at = cell.find("\"\"", at + 1)) {
            cell.erase(at, 1);
        }
    }
    const bool same = cell == text;
    const bool marked = cell == "'" + text;
    RC_ASSERT(same || marked);
    RC_ASSERT(cell.empty() || std::string_view{"=+-@\t\r"}.find(cell.front()) == std::string_view::npos ||
              cell.find_first_not_of("+-.0123456789") == cell.npos);
    RC_ASSERT(text_of_csv_cell(cell) == text);
}

}  // namespace
}  // namespace petrel

// Cases of tables and of the order of names that the transcripts do not cover.
#include "sonic_tools/simple_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "sonic_tools/natural_order.hpp"

namespace petrel::sonic_tools {
namespace {

TEST(SimpleTable, ColumnsOfNumbersGoToTheRight)
{
    EXPECT_EQ(to_text({{"Name", "N"}, {{"a", "1"}, {"bcdefgh", "-1234"}}}), "Name         N\n"
                                                                            "-------  -----\n"
                                                                            "a            1\n"
                                                                            "bcdefgh  -1234\n");
    EXPECT_EQ(to_text({{"Name", "N"}, {{"a", "1"}, {"b", "N/A"}}}), "Name    N\n"
                                                                    "------  ---\n"
                                                                    "a       1\n"
                                                                    "b       N/A\n");
}

TEST(SimpleTable, WithoutRowsThereIsTheHeading)
{
    EXPECT_EQ(to_text({{"A", "B"}, {}}), "A    B\n---  ---\n");
    EXPECT_EQ(to_text({{"A", "B"}, {}, SimpleTable::TextAlign::right}), "  A    B\n---  ---\n");
}

TEST(NaturalOrder, NumbersCountAsNumbers)
{
    std::vector<std::string> names{"Ethernet12",  "Ethernet4",  "Ethernet4:10", "Ethernet4:9",
                                   "Ethernet0",   "Ethernet04", "Ethernet-BP4", "Ethernet99999999999999999999",
                                   "PortChannel1"};
    std::sort(names.begin(), names.end(), naturally_before);
    EXPECT_EQ(names,
              (std::vector<std::string>{"Ethernet0", "Ethernet04", "Ethernet4", "Ethernet4:9", "Ethernet4:10",
                                        "Ethernet12", "Ethernet99999999999999999999", "Ethernet-BP4", "PortChannel1"}));
}

// The comparison is a strict total order, as sorting requires.
RC_GTEST_PROP(NaturalOrder, IsAnOrder, ())
{
    const auto name = rc::gen::container<std::string>(rc::gen::element('0', '1', '9', 'a', ':'));
    const auto a = *name;
    const auto b = *name;
    const auto c = *name;
    RC_ASSERT(!naturally_before(a, a));
    RC_ASSERT((a == b) == (!naturally_before(a, b) && !naturally_before(b, a)));
    RC_ASSERT(!(naturally_before(a, b) && naturally_before(b, a)));
    RC_ASSERT(!(naturally_before(a, b) && naturally_before(b, c)) || naturally_before(a, c));
}

}  // namespace
}  // namespace petrel::sonic_tools

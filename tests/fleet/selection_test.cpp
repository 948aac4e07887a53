// Which agents an order is for.
#include "fleet/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petrel::fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const KnownAgents kKnown{
    {"leaf1", "leaf2", "spine1"},
    {{"asic0", "leaf1"}, {"asic1", "leaf1"}, {"sw2", "leaf2"}},
    {{"leaf1", "r1", "leaf"}, {"leaf2", "r2", "leaf"}, {"leaf9", "r2", "leaf"}, {"spine1", "r1", "spine"}}};

Order order(Selection selection, bool reads = false)
{
    Order wanted;
    wanted.selection = std::move(selection);
    wanted.reads = reads;
    return wanted;
}

TEST(Selection, RestrictsByAgentRackRoleAndDevice)
{
    EXPECT_THAT(select(order({.all = true}), kKnown).value(), ElementsAre("leaf1", "leaf2", "leaf9", "spine1"));
    EXPECT_THAT(select(order({.racks = {"r1"}}), kKnown).value(), ElementsAre("leaf1", "spine1"));
    EXPECT_THAT(select(order({.racks = {"r1", "r2"}, .roles = {"leaf"}}), kKnown).value(),
                ElementsAre("leaf1", "leaf2", "leaf9"));
    EXPECT_THAT(select(order({.devices = {"asic1"}}), kKnown).value(), ElementsAre("leaf1"));
    EXPECT_THAT(select(order({.agents = {"leaf9"}}), kKnown).value(), ElementsAre("leaf9"))
        << "an agent of the file may report later";
    EXPECT_THAT(select(order({}, true), kKnown).value(), ElementsAre("leaf1", "leaf2", "leaf9", "spine1"));
}

TEST(Selection, RefusesWhatIsNotKnownAndOrdersForNoneInParticular)
{
    EXPECT_THAT(select(order({}), kKnown).error().what, HasSubstr("names no agent"));
    EXPECT_THAT(select(order({.agents = {"leaf3"}}), kKnown).error().what, HasSubstr("no agent 'leaf3'; the nearest"));
    EXPECT_THAT(select(order({.racks = {"x"}}), kKnown).error().what, HasSubstr("no rack 'x'"));
    EXPECT_THAT(select(order({.roles = {"tor"}}), kKnown).error().what, HasSubstr("no role 'tor'"));
    EXPECT_THAT(select(order({.devices = {"sw3"}}), kKnown).error().what, HasSubstr("no device 'sw3'"));
    EXPECT_THAT(select(order({.agents = {"leaf1"}, .roles = {"spine"}}), kKnown).error().what,
                HasSubstr("no agent fits"));
}

}  // namespace
}  // namespace petrel::fleet

// Each kind of fault has its own label, as in a scenario file.
#include "swarm/coverage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace petrel::swarm {
namespace {

TEST(Coverage, AnOrderHasTheNameOfItsKind)
{
    using Kind = watchdog::Order::Kind;
    for (auto number = 0; number != static_cast<int>(Kind::clear); ++number) {
        scenario::GiveOrder given;
        given.order.kind = static_cast<Kind>(number);
        scenario::AgentFault fault;
        fault.what = given;
        auto wanted = "order " + std::string{watchdog::name(given.order.kind)};
        std::ranges::replace(wanted, '_', '-');
        EXPECT_EQ(kind_of(fault), wanted);
    }
}

}  // namespace
}  // namespace petrel::swarm

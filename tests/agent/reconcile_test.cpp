// The table of agent/reconcile.hpp, row by row.
#include "agent/reconcile.hpp"

#include <gtest/gtest.h>

namespace petrel::agent {
namespace {

using watchdog::Checkpoint;
using watchdog::Phase;
using watchdog::Treatment;

const Target kQueue{PortId{DeviceId{0}, 2}, Priority{3}};
const Target kSameport{PortId{DeviceId{0}, 2}, Priority{4}};
const Target kPort{PortId{DeviceId{0}, 2}, std::nullopt};

struct Case {
    const char* name;
    Treatment found;
    bool journaled;
    std::optional<Phase> remembered;
    std::optional<bool> keep;  // nullopt = no adoption
};

class Reconcile : public testing::TestWithParam<Case> {};

TEST_P(Reconcile, FollowsItsTable)
{
    const auto& c = GetParam();
    Start start;
    if (c.found != Treatment::none) {
        start.found.emplace_back(kQueue, c.found);
    }
    if (c.journaled) {
        start.journaled.push_back({kQueue, Treatment::drop, {}, {}});
    }
    if (c.remembered) {
        start.remembered.emplace();
        auto& row = start.remembered->rows.emplace_back();
        row.target = kQueue;
        row.phase = *c.remembered;
    }
    const auto all = reconcile(start);
    if (!c.keep) {
        EXPECT_TRUE(all.empty());
        return;
    }
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.front(), (Adoption{kQueue, c.found, *c.keep}));
}

INSTANTIATE_TEST_SUITE_P(
    Table, Reconcile,
    testing::Values(Case{"treated_latched", Treatment::drop, false, Phase::latched, true},
                    Case{"treated_journaled_latched", Treatment::drop, true, Phase::latched, true},
                    Case{"treated_journaled_restoring", Treatment::drop, true, Phase::restoring, false},
                    Case{"treated_journaled_mitigated", Treatment::drop, true, Phase::mitigated, true},
                    Case{"treated_journaled_mitigating", Treatment::drop, true, Phase::mitigating, true},
                    Case{"treated_journaled_watching", Treatment::drop, true, Phase::watching, true},
                    Case{"treated_journaled_forgotten", Treatment::drop, true, std::nullopt, true},
                    Case{"treated_mitigated", Treatment::drop, false, Phase::mitigated, true},
                    Case{"treated_watching", Treatment::drop, false, Phase::watching, false},
                    Case{"treated_restoring", Treatment::drop, false, Phase::restoring, false},
                    Case{"treated_forgotten", Treatment::drop, false, std::nullopt, false},
                    Case{"port_down_mitigated", Treatment::port_down, false, Phase::mitigated, true},
                    Case{"port_down_restoring", Treatment::port_down, false, Phase::restoring, false},
                    Case{"port_down_journaled", Treatment::port_down, true, std::nullopt, true},
                    Case{"port_down_watching", Treatment::port_down, false, Phase::watching, std::nullopt},
                    Case{"port_down_forgotten", Treatment::port_down, false, std::nullopt, std::nullopt},
                    Case{"untreated_latched", Treatment::none, false, Phase::latched, true},
                    Case{"untreated_journaled_latched", Treatment::none, true, Phase::latched, true},
                    Case{"untreated_journaled_mitigated", Treatment::none, true, Phase::mitigated, false},
                    Case{"untreated_journaled_forgotten", Treatment::none, true, std::nullopt, false},
                    Case{"untreated_mitigated", Treatment::none, false, Phase::mitigated, false},
                    Case{"untreated_restoring", Treatment::none, false, Phase::restoring, false},
                    Case{"untreated_watching", Treatment::none, false, Phase::watching, std::nullopt},
                    Case{"untreated_alerted", Treatment::none, false, Phase::alerted, std::nullopt},
                    Case{"untreated_forgotten", Treatment::none, false, std::nullopt, std::nullopt}),
    [](const auto& c) { return c.param.name; });

TEST(ReconcileOrder, OutlivesARebootOfTheSwitch)
{
    for (const auto phase : {Phase::mitigated, Phase::mitigating}) {
        Start start;
        start.remembered.emplace();
        auto& row = start.remembered->rows.emplace_back();
        row.target = kQueue;
        row.phase = phase;
        row.ordered = true;
        EXPECT_EQ(reconcile(start), (std::vector<Adoption>{{kQueue, Treatment::none, true}})) << name(phase);
    }
}

TEST(ReconcilePort, StaysTreatedWhileOneOfItsQueuesNeedsIt)
{
    Start start;
    start.found.emplace_back(kPort, Treatment::lossless_off);
    start.journaled.push_back({kPort, Treatment::lossless_off, {}, {}});
    start.remembered.emplace();
    for (const auto& [target, phase] : {std::pair{kQueue, Phase::restoring}, std::pair{kSameport, Phase::mitigated}}) {
        auto& row = start.remembered->rows.emplace_back();
        row.target = target;
        row.phase = phase;
    }
    EXPECT_EQ(reconcile(start), (std::vector<Adoption>{{kPort, Treatment::lossless_off, true}}));
}

TEST(ReconcilePort, IsRestoredIfAllItsQueuesWereRestoring)
{
    Start start;
    start.found.emplace_back(kPort, Treatment::lossless_off);
    start.journaled.push_back({kPort, Treatment::lossless_off, {}, {}});
    start.remembered.emplace();
    auto& row = start.remembered->rows.emplace_back();
    row.target = kQueue;
    row.phase = Phase::restoring;
    EXPECT_EQ(reconcile(start), (std::vector<Adoption>{{kPort, Treatment::lossless_off, false}}));
}

}  // namespace
}  // namespace petrel::agent

// The laws of every run: each frame is delivered, in flight or dropped with a cause (totals() asserts this); results do
// not depend on threads, windows and stops; pause never drops a frame; and repaired links and nodes work again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan.hpp"

namespace petrel::twin::test {
namespace {

constexpr Ps kUntil = 150 * kUs / kScale;

std::uint64_t run(Plan plan, unsigned threads, Ps window, std::vector<Ps> stops)
{
    plan.set.threads = threads;
    plan.set.window = window;
    const auto twin = plan.start();
    stops.push_back(kUntil);
    std::sort(stops.begin(), stops.end());
    for (const Ps stop : stops) {
        twin->run_until(stop);
        twin->totals();
    }
    return twin->totals().digest;
}

// Large enough that several threads have work.
topology::Topology wide_fabric()
{
    return number(0, 3) == 0 ? topology::fat_tree(6, kLink, kLink).value()
                             : topology::leaf_spine(number(4, 8), number(1, 4), 8, kLink, kLink).value();
}

RC_GTEST_PROP(Run, DoesNotDependOnThreadsWindowsAndStops, ())
{
    Plan plan = plan_on(number(0, 1) == 0 ? wide_fabric() : petrel::test::any_fabric());
    add_flows(plan, number(1, 60), kUntil / 2);
    for (auto n = number(0, 3); n != 0; --n)
        add_pauses(plan, kUntil);
    for (auto n = number(0, 4); n != 0; --n)
        add_breakage(plan, kUntil);
    for (auto n = number(0, 1); n != 0; --n)
        add_reroute(plan, kUntil);

    const std::uint64_t expected = run(plan, 1, kForever, {});
    RC_ASSERT(run(plan, number(2, 3), number(0, 1) == 0 ? kForever : 300 * kNs, {}) == expected);
    switch (number(0, 3)) {
    case 0: RC_ASSERT(run(plan, 1, 500 * kNs, {}) == expected); break;
    case 1: RC_ASSERT(run(plan, 1, 1'000 * kNs / 7, {}) == expected); break;
    case 2: RC_ASSERT(run(plan, 1, 100 * kNs, {}) == expected); break;
    default:
        RC_ASSERT(run(plan, 1, kForever, {moment(0, kUntil), moment(0, kUntil), moment(0, kUntil) + 1}) == expected);
    }
}

TEST(Run, HasAnotherDigestIfOneFrameDiffers)
{
    auto set = one_switch(2);
    set.flows = {open_loop(0, 1, 10)};
    const auto digest = [](const twin::Setup& of) {
        const auto twin = build(of);
        twin->run_until(kUntil);
        return twin->totals().digest;
    };
    const auto usual = digest(set);
    EXPECT_EQ(digest(set), usual);
    auto longer = set;
    longer.flows[0].frame_bytes += 1;
    EXPECT_NE(digest(longer), usual);
    auto later = set;
    later.flows[0].start = 1;
    EXPECT_NE(digest(later), usual);
    auto one_less = set;
    one_less.flows[0].packets = 9;
    EXPECT_NE(digest(one_less), usual);
}

RC_GTEST_PROP(Run, LosesNothingToPauseWhenThereIsHeadroom, ())
{
    Plan plan = plan_on(petrel::test::any_fabric());
    add_flows(plan, number(1, 20), kUntil / 2);
    for (auto n = number(0, 6); n != 0; --n)
        add_pauses(plan, kUntil);
    const auto twin = plan.start();
    twin->run_until(kUntil);
    const DropCounts none;
    RC_ASSERT(twin->totals().drops.by_cause == none.by_cause);
}

// Not on rings, which may deadlock.
RC_GTEST_PROP(Run, FinishesAllFlowsOnceEverythingIsRepaired, ())
{
    topology::Topology fabric;
    do
        fabric = petrel::test::any_fabric();
    while (fabric.nodes.back().name.front() == 's' && fabric.nodes.back().name != "s0" &&
           fabric.nodes.back().name != "s1" && fabric.nodes.back().tier == 1);
    Plan plan = plan_on(fabric);
    add_flows(plan, number(1, 12), kUntil / 2);
    for (auto n = number(0, 4); n != 0; --n)
        add_pauses(plan, kUntil);
    for (auto n = number(0, 4); n != 0; --n)
        add_breakage(plan, kUntil);
    const auto twin = plan.start();
    twin->run_until(kUntil);
    twin->totals();
    twin->run_until_flows_finish(kUntil + 400 * kMs);
    for (std::uint32_t i = 0; i != plan.set.flows.size(); ++i) {
        const auto flow = twin->flow(i);
        RC_ASSERT(flow.finished);
        RC_ASSERT(!plan.set.flows[i].reliable || flow.delivered == plan.set.flows[i].packets);
    }
    twin->run_until(twin->now() + 10 * kMs);
    RC_ASSERT(twin->totals().in_flight == 0U);
    for (const NodeId at : plan.switches) {
        const auto view = twin->switch_view(at);
        RC_ASSERT(view.pool_used(0) == 0U);
        RC_ASSERT(view.headroom_used() == 0U);
    }
}

}  // namespace
}  // namespace petrel::twin::test

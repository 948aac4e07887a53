// The summary has a stable schema: compares the line key by key.
#include "codec/scenario/json.hpp"

#include "golden.hpp"

namespace petrel::codec {
namespace {

TEST(ScenarioJson, Summary)
{
    scenario::Summary sum;
    sum.scenario = "one";
    sum.seed = 7;
    sum.simulated = 2 * twin::kMs;
    sum.tiers = {{0, 4, 1, 2'000, 0, 0, 3}, {1, 2, 10, 5'000'000, 4'999'999, 1, 9}};
    sum.traffic = {{"endless", 2, 0, 5, 5'240, 0, 0, 0}, {"done", 2, 2, 10, 10'480, 1'000, 2'000, 3'000}};
    scenario::LinkStory link;
    link.ends[0] = {"h0:eth0", {{0, 39, 2}, link::LinkState::init, true, {}, 1, false}, {}};
    const auto at = [](int us) { return WallTime{std::chrono::microseconds{us}}; };
    link.ends[1] = {"s0:Ethernet0", {}, {{2, 39, 0, at(1'500), at(2'000), {}, 1, false}}};
    sum.links = {link};
    sum.totals.digest = 0xabc;
    sum.totals.packet_hops = 100;
    sum.totals.injected = 30;
    sum.totals.delivered = 15;
    sum.totals.in_flight = 3;
    sum.totals.drops[twin::Drop::headroom] = 12;
    scenario::Expectation expectation{
        7, "traffic done: loss", "0%", 0, 1'000'000, {0, 0}, scenario::Unit::share, scenario::TrafficExpected{}};
    const RunRecord run{"some.toml",
                        {{"priority", "3"}},
                        std::chrono::milliseconds{5},
                        {{&expectation, scenario::Verdict::failed, "12 %"}}};
    test::expect_golden(golden::folder("summary") / "summary.json", summary_json(sum, run) + '\n');
}

}  // namespace
}  // namespace petrel::codec

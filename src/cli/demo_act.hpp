// One of the demo's plans, played: told line by line, shown as it is, paced by the wall clock if that is wanted, and
// recorded for the report.
#pragma once

#include "cli/demo_fabric.hpp"
#include "cli/demo_plans.hpp"
#include "cli/demo_screen.hpp"
#include "cli/lab_report.hpp"
#include "cli/terminal.hpp"

namespace petrel::cli {

struct ActOptions {
    bool paced{};
    twin::Ps score_at{};  // the moment at which acts are compared; 0 = at the end
};

struct ActDone {
    FabricNow score;           // at that moment
    twin::Ps full_speed_at{};  // 0 = never
    std::uint32_t healthy_flows{};
    ReportedRun report;
};

ActDone play(const DemoPlan&, const ActOptions&, DemoScreen&, const Paint&);

scenario::Scenario scenario_of(const DemoPlan&);

}  // namespace petrel::cli

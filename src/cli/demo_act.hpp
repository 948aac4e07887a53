// Plays one of the demo's plans: prints its story line by line, shows the present state, follows the wall clock if
// requested, and records the run for the report.
#pragma once

#include "cli/demo_fabric.hpp"
#include "cli/demo_plans.hpp"
#include "cli/demo_screen.hpp"
#include "cli/lab_report.hpp"
#include "cli/terminal.hpp"

namespace petrel::cli {

struct ActOptions {
    bool paced{};
    twin::Ps score_at{};  // the time at which the acts are compared; 0 = at the end
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

// Plays one of the demo's plans: prints its story line by line, shows the present state, follows the wall clock if
// requested, and records the run for the report.
#pragma once

#include "demo/fabric.hpp"
#include "demo/plans.hpp"
#include "demo/screen.hpp"
#include "reports/lab_report.hpp"
#include "terminal/terminal.hpp"

namespace petrel::demo {

struct ActOptions {
    bool paced{};
    twin::Ps score_at{};  // the time at which the acts are compared; 0 = at the end
};

struct ActDone {
    FabricNow score;           // at that moment
    twin::Ps full_speed_at{};  // 0 = never
    std::uint32_t healthy_flows{};
    reports::ReportedRun report;
};

ActDone play(const Plan&, const ActOptions&, Screen&, const Paint&);

scenario::Scenario scenario_of(const Plan&);

}  // namespace petrel::demo

// The result of a run, without its fabric: enough to print, compare and report the run.
#pragma once

#include <string>
#include <vector>

#include "lab/experiment.hpp"
#include "lab/judge.hpp"
#include "scenario/expectation.hpp"
#include "scenario/summary.hpp"

namespace petrel::lab {

struct ReportedEvent {
    scenario::NodeId node;
    std::string device;
    std::string where;  // "Ethernet0:3", or the port alone
    watchdog::Event event;
    std::uint16_t port{};  // in the topology
};

// An expectation with its verdict.
struct Judgement {
    scenario::Verdict verdict{};
    scenario::Expectation expectation;
    std::string found;
};

struct Outcome {
    scenario::Summary summary;
    std::vector<ReportedEvent> events;
    std::vector<Judgement> judgements;

    bool failed() const;
};

Outcome outcome_of(const Experiment&, const Judge&);

}  // namespace petrel::lab

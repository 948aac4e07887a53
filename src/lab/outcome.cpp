#include "lab/outcome.hpp"

#include <algorithm>

namespace petrel::lab {

bool Outcome::failed() const
{
    return std::any_of(judgements.begin(), judgements.end(),
                       [](const Judgement& one) { return one.verdict == scenario::Verdict::failed; });
}

Outcome outcome_of(const Experiment& experiment, const Judge& judge)
{
    Outcome outcome;
    outcome.summary = experiment.summary();
    for (const auto& reported : experiment.events()) {
        outcome.events.push_back({reported.node, std::string{reported.device},
                                  to_string(reported.watchlist->inventory, reported.event->target), *reported.event,
                                  reported.port});
    }
    for (const auto& finding : judge.findings()) {
        outcome.judgements.push_back({finding.verdict, *finding.expectation, finding.found});
    }
    return outcome;
}

}  // namespace petrel::lab

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
    for (const auto& heard : experiment.events()) {
        outcome.events.push_back({heard.node, std::string{heard.device},
                                  to_string(heard.watchlist->inventory, heard.event->target), *heard.event,
                                  heard.port});
    }
    for (const auto& finding : judge.findings()) {
        outcome.judgements.push_back({finding.verdict, *finding.expectation, finding.found});
    }
    return outcome;
}

}  // namespace petrel::lab

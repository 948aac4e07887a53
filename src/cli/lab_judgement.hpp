// What became of a scenario's expectations, for people and for programs.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "cli/lab_plan.hpp"
#include "cli/terminal.hpp"
#include "codec/scenario_json.hpp"
#include "lab/outcome.hpp"

namespace petrel::cli {

std::string judgement_table(std::span<const lab::Judgement>, const Paint&);  // empty if nothing was expected
std::string failures_text(std::span<const lab::Judgement>);                  // a line for each that failed
std::vector<codec::Judged> judged(std::span<const lab::Judgement>);          // as JSON has them

// What a run came to as one line of JSON, without its end.
std::string summary_line(const PlannedRun&, const lab::Outcome&, std::chrono::steady_clock::duration wall);

}  // namespace petrel::cli

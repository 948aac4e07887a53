// What became of a scenario's expectations, for people and for programs.
#pragma once

#include <span>
#include <string>

#include "cli/terminal.hpp"
#include "codec/scenario_json.hpp"
#include "lab/outcome.hpp"

namespace petrel::cli {

std::string judgement_table(std::span<const lab::Judgement>, const Paint&);  // empty if nothing was expected
std::string failures_text(std::span<const lab::Judgement>);                  // a line for each that failed
std::vector<codec::Judged> judged(std::span<const lab::Judgement>);          // as JSON has them

}  // namespace petrel::cli

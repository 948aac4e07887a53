// The results of a scenario's expectations, as text and as data for JSON.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "codec/scenario/json.hpp"
#include "lab/outcome.hpp"
#include "terminal/terminal.hpp"

namespace petrel::reports {

// "80" in the scenario file, "scenarios/defaults/nothing-left.toml:2" in shared defaults.
std::string line_text(const scenario::Expectation&);

// At most `width` columns wide. Empty if nothing was expected.
std::string judgement_table(std::span<const lab::Judgement>, const Paint&, std::size_t width);
std::string failures_text(std::span<const lab::Judgement>);          // a line for each failed expectation
std::vector<codec::Judged> judged(std::span<const lab::Judgement>);  // for JSON

// The summary of a run as one line of JSON, without its newline.
std::string summary_line(const std::string& file, const codec::Settings&, const lab::Outcome&,
                         std::chrono::steady_clock::duration wall);

}  // namespace petrel::reports

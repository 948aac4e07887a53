// `petrel lab run --report DIR`: what the runs were, what happened, and how to repeat them. One page for a single run;
// for several an index and a page each; beside them JSON and CSV. The files: docs/report.md.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lab/outcome.hpp"
#include "lab/recording.hpp"

namespace petrel::reports {

struct ReportedRun {
    std::string file;
    std::map<std::string, std::string> settings;  // values of the scenario's parameters
    std::string command;                          // repeats exactly this run
    std::shared_ptr<const scenario::Scenario> scenario;
    lab::Outcome outcome;
    lab::RecordedRun recording;
    std::string summary_json;  // the text of codec::summary_json()
};

// What the runs differ in, side by side: a column for each.
struct Comparison {
    std::vector<std::string> titles;             // the first is that of the quantities
    std::vector<std::vector<std::string>> rows;  // a quantity, and its value in each run
};

// Creates the folder if needed; existing files of the same names are replaced. The index begins with the comparison if
// it has rows.
Result<void> write_report(const std::filesystem::path& folder, std::span<const ReportedRun>, const Comparison& = {});

}  // namespace petrel::reports

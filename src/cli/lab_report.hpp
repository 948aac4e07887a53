// `petrel lab run --report DIR`: what runs were asked, what happened, and how it can be repeated. One page for a
// single run; for several an index with a page each; beside them JSON and CSV. The files: docs/report.md.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/result.hpp"
#include "lab/outcome.hpp"
#include "lab/recording.hpp"

namespace petrel::cli {

struct ReportedRun {
    std::string file;
    std::map<std::string, std::string> settings;  // of the scenario's parameters
    std::string command;                          // that repeats just this run
    std::shared_ptr<const scenario::Scenario> scenario;
    lab::Outcome outcome;
    lab::RecordedRun recording;
    std::string summary_json;  // of codec::summary_json
};

// Makes the folder where there is none; files of the same names are replaced.
Result<void> write_report(const std::filesystem::path& folder, std::span<const ReportedRun>);

}  // namespace petrel::cli

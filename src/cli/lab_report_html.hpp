// The report's pages: one for a run, and one that lists many. Self-contained: no script, no outside resource, light and
// dark, printable. For readers who may never have heard of PFC.
#pragma once

#include <span>
#include <string>

#include "cli/lab_report.hpp"

namespace petrel::cli {

std::string run_page(const ReportedRun&);

// The file of the run's page in a report of many.
std::string run_page_name(std::size_t index);
std::string index_page(std::span<const ReportedRun>);

}  // namespace petrel::cli

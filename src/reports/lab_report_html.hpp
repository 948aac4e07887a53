// The pages of the report: one for each run, and one that lists many. Self-contained: no scripts, no external
// resources, light and dark, printable. For readers who may not know PFC.
#pragma once

#include <span>
#include <string>

#include "reports/lab_report.hpp"

namespace petrel::reports {

std::string run_page(const ReportedRun&);

// The file name of a run's page in a report of several runs.
std::string run_page_name(std::size_t index);
std::string index_page(std::span<const ReportedRun>, const Comparison&);

}  // namespace petrel::reports

// The report for programs: one JSON document with stable keys, and curves as CSV in long format (one value per row and
// time; runs are numbered from 1). Keys and columns: docs/report.md; they are added, never renamed.
#pragma once

#include <span>
#include <string>

#include "reports/lab_report.hpp"

namespace petrel::reports {

std::string report_json(std::span<const ReportedRun>);

std::string queues_csv(std::span<const ReportedRun>);
std::string links_csv(std::span<const ReportedRun>);
std::string traffic_csv(std::span<const ReportedRun>);

}  // namespace petrel::reports

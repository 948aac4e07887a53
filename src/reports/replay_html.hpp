// A replay as one self-contained page: no script, no outside resource, light and dark, printable.
#pragma once

#include <string>

#include "reports/replay_report.hpp"

namespace petrel::reports {

std::string replay_html(const ReplayReport&);

}  // namespace petrel::reports

// A replay as one self-contained page: no script, no outside resource, light and dark, printable.
#pragma once

#include <string>

#include "cli/replay_report.hpp"

namespace petrel::cli {

std::string replay_html(const ReplayReport&);

}  // namespace petrel::cli

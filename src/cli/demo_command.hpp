// `petrel demo`: one broken network card freezes a three-tier fabric, first without and then with the production agent.
#pragma once

#include <string>

#include "cli/exit_code.hpp"

namespace petrel::cli {

struct DemoOptions {
    bool json{};
    bool realtime{};     // paced by the wall clock, also without a terminal
    bool fast{};         // not paced, even on a terminal
    std::string report;  // a folder; empty = a new temporary folder
};

ExitCode run_demo(const DemoOptions&);

}  // namespace petrel::cli

// `petrel demo`: one broken network card freezes a three-tier fabric, first unwatched, then under the agent that ships.
#pragma once

#include <string>

#include "cli/exit_code.hpp"

namespace petrel::cli {

struct DemoOptions {
    bool json{};
    bool realtime{};     // paced by the wall clock, also where nobody watches
    bool fast{};         // not paced, even on a terminal
    std::string report;  // a folder; empty = a new one among the temporary files
};

ExitCode run_demo(const DemoOptions&);

}  // namespace petrel::cli

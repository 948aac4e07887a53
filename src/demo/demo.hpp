// `petrel demo`: one broken network card freezes a three-tier fabric, first without and then with the production agent.
#pragma once

#include <string>

#include "terminal/exit_code.hpp"

namespace petrel::demo {

struct Options {
    bool json{};
    bool realtime{};     // paced by the wall clock, also without a terminal
    bool fast{};         // not paced, even on a terminal
    std::string report;  // a folder; empty = a new temporary folder
};

ExitCode run(const Options&);

}  // namespace petrel::demo

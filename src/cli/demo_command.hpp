// `petrel demo`: a NIC storms in a small fabric, first unwatched, then under the agent that ships.
#pragma once

#include "cli/exit_code.hpp"

namespace petrel::cli {

struct DemoOptions {
    bool json{};
    bool realtime{};  // paced by the wall clock instead of as fast as possible
};

ExitCode run_demo(const DemoOptions&);

}  // namespace petrel::cli

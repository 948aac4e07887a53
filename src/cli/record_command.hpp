// `petrel record`: the counters of a device as a trace, at a fixed interval. It only reads.
#pragma once

#include <cstdint>
#include <string>

#include "cli/agent/agent_command.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct RecordOptions {
    std::string device;       // as in the agent's file
    std::string output{"-"};  // "-" = stdout
    std::uint32_t every_ms{100};
    std::uint64_t looks{};  // 0 = until it is stopped
    const AgentParts* parts{&kNoParts};
    const AgentExtras* extras{};
};

ExitCode run_record(const RecordOptions&);

}  // namespace petrel::cli

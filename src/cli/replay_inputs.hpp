// The inputs of `petrel replay`: the trace, and what to watch in it under each policy. All of it is read and checked
// before the replay starts, so that all problems are reported at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/policy_choice.hpp"
#include "device/replay/pace.hpp"
#include "device/replay/trace.hpp"

namespace petrel::cli {

struct ReplayOptions {
    std::string trace;                      // "-" = stdin
    std::vector<std::string> policies;      // NAME[:key=value,...]
    std::vector<Setting> settings;          // for every policy
    std::optional<std::string> config;      // instead of policies
    std::optional<std::string> host_ports;  // NAME,... or "all"
    std::optional<std::string> survives;    // FIELD,... or "none"
    std::optional<std::string> stamp_uncertainty_ms;
    bool start_default{};
    bool check{};
    std::string format{"text"};
    std::optional<std::string> output;  // none or "-" = stdout
    std::vector<Complaint> problems;    // of the flags themselves; reported together with all others
};

// A label and, for each device of the trace, the policies to replay.
struct WhatIf {
    std::string label;
    std::vector<watchdog::PolicyBook> books;
};

struct ReplayInputs {
    std::string trace_name;
    device::Trace trace;
    std::vector<device::Pace> paces;  // paces[device]
    std::vector<WhatIf> what_ifs;
    std::vector<std::string> notes;  // assumptions that were made
};

struct Refusal {
    std::vector<Complaint> complaints;
    std::vector<Error> errors;  // files that could not be read at all
};

tl::expected<ReplayInputs, Refusal> read_replay_inputs(const ReplayOptions&);

}  // namespace petrel::cli

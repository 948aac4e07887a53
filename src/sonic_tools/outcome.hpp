// The result of a tool: its output and its exit code. A tool prints nothing while it runs, so that a test can check all
// of its output and an error leaves no partial table.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/complaint_text.hpp"
#include "base/result.hpp"

namespace petrel::sonic_tools {

struct Outcome {
    std::string out;
    std::string err;
    int exit_code{};
    bool operator==(const Outcome&) const = default;
};

// Thrown if a command cannot continue. run_tool() and parse() catch it; it never leaves this module.
struct Stop {
    Outcome outcome;
};

// The caller must escape names and values from outside in the text (excerpt()).
[[noreturn]] inline void stop_with(std::string_view line) { throw Stop{{{}, fmt::format("{}\n", line), 1}}; }
[[noreturn]] inline void stop_with(const Error& error) { stop_with(fmt::format("Error: {}", escaped(error.what))); }

}  // namespace petrel::sonic_tools

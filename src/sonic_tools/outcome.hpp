// What a tool leaves behind: what it wrote, and how it ended. Nothing is written while it runs, so that a test sees all
// of it and a program need not care for half a table.
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

// Thrown where a command cannot go on; ends in run_tool() and in parse(), never outside of this module.
struct Stop {
    Outcome outcome;
};

// Names and values from outside have to be escaped in it (excerpt()).
[[noreturn]] inline void stop_with(std::string_view line) { throw Stop{{{}, fmt::format("{}\n", line), 1}}; }
[[noreturn]] inline void stop_with(const Error& error) { stop_with(fmt::format("Error: {}", escaped(error.what))); }

}  // namespace petrel::sonic_tools

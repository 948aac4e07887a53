// `petrel policies`: the presets, and every parameter with its default and range.
#pragma once

#include <string>

#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct PoliciesOptions {
    std::string preset;  // empty = all
    bool json{};
};

ExitCode run_policies(const PoliciesOptions&);

}  // namespace petrel::cli

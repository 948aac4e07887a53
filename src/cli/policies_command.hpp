// `petrel policies`: the presets, and every parameter with its default and range.
#pragma once

#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct PoliciesOptions {
    bool json{};
};

ExitCode run_policies(const PoliciesOptions&);

}  // namespace petrel::cli

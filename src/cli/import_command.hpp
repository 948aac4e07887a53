// `petrel import`: what other tools have recorded as a trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct ImportOptions {
    std::string from;
    std::vector<std::string> files;  // "-" = stdin
    std::optional<std::string> map;
    std::string port;
    std::string driver;
    std::string output{"-"};  // "-" = stdout
};

ExitCode run_import(const ImportOptions&);

}  // namespace petrel::cli

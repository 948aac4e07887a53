// The built program `petrel`, run in the folder of the examples.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/golden.hpp"
#include "support/subprocess.hpp"

namespace petrel::cli::test {

inline std::filesystem::path examples() { return std::filesystem::path{PETREL_TEST_DATA}.parent_path() / "examples"; }

inline petrel::test::Invocation petrel(std::vector<std::string> arguments)
{
    petrel::test::Invocation call;
    call.program = PETREL_BIN_DIR "/petrel";
    call.arguments = std::move(arguments);
    call.folder = examples();
    return call;
}

using petrel::test::content;

}  // namespace petrel::cli::test

// The built program `petrel`, run in the folder of the examples.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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

inline std::string content(const std::filesystem::path& path)
{
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace petrel::cli::test

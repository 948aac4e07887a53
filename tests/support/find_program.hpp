// The path of a program that a test needs, if it is installed; ./dev test installs those of packaging/apt-packages.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

namespace petrel::test {

// Empty: not installed.
inline std::string find_program(std::string_view name)
{
    const char* path = std::getenv("PATH");
    std::istringstream folders{path == nullptr ? "" : path};
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (const auto program = std::filesystem::path{folder} / name; std::filesystem::exists(program)) {
            return program;
        }
    }
    return {};
}

}  // namespace petrel::test

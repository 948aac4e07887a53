// Where tshark is, if it is installed; ./dev test installs it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

namespace petrel::test {

inline std::string tshark()
{
    const char* path = std::getenv("PATH");
    std::istringstream folders{path == nullptr ? "" : path};
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (const auto program = std::filesystem::path{folder} / "tshark"; std::filesystem::exists(program)) {
            return program;
        }
    }
    return {};
}

}  // namespace petrel::test

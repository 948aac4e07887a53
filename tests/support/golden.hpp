// Compares texts for users with files below tests/golden. PETREL_UPDATE_GOLDEN=1 writes the files: then read the diff,
// since it is what users will see.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace petrel::test {

inline std::filesystem::path golden(std::string_view below)
{
    return std::filesystem::path{PETREL_TEST_DATA} / "golden" / below;
}

inline std::string content(const std::filesystem::path& path)
{
    std::ifstream file{path, std::ios::binary};
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>{file}, {}};
}

inline void expect_golden(const std::filesystem::path& path, std::string_view text)
{
    if (std::getenv("PETREL_UPDATE_GOLDEN") != nullptr) {
        std::ofstream{path, std::ios::binary} << text;
    }
    EXPECT_EQ(content(path), text) << path;
}

}  // namespace petrel::test

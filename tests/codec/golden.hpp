// Golden texts of the readers: tests/golden/codec/<kind>/NAME.EXT is the input, NAME.txt what people read about it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaint_text.hpp"

namespace petrel::codec::golden {

inline std::filesystem::path folder(std::string_view kind)
{
    return std::filesystem::path{PETREL_TEST_DATA} / "golden" / "codec" / kind;
}

inline std::string read(const std::filesystem::path& path)
{
    std::ifstream file{path, std::ios::binary};
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>{file}, {}};
}

inline std::vector<std::filesystem::path> inputs(std::string_view kind)
{
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator{folder(kind)}) {
        if (entry.path().extension() != ".txt") {
            paths.push_back(entry.path());
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

inline std::string lines(const std::vector<Complaint>& complaints)
{
    std::string text;
    for (const auto& complaint : complaints) {
        text += to_text(complaint) + '\n';
    }
    return text;
}

// Holds `text` against NAME.txt next to `input`.
inline void expect_same(std::filesystem::path input, std::string_view text)
{
    EXPECT_EQ(read(input.replace_extension(".txt")), text) << input;
}

}  // namespace petrel::codec::golden

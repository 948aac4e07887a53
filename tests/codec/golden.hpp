// Golden texts of the readers: tests/golden/codec/<kind>/NAME.EXT is the input, NAME.txt the expected output.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaint_text.hpp"
#include "support/golden.hpp"

namespace petrel::codec::golden {

inline std::filesystem::path folder(std::string_view kind) { return test::golden("codec") / kind; }

using test::content;

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

// Compares `text` with NAME.txt next to `input`.
inline void expect_same(std::filesystem::path input, std::string_view text)
{
    test::expect_golden(input.replace_extension(".txt"), text);
}

}  // namespace petrel::codec::golden

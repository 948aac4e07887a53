// Any bytes give lines of bounded length and leave a bounded rest. The lines do not depend on how the bytes are split.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "wire/log_frames.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::wire;
    if (size == 0) {
        return 0;
    }
    const auto step = static_cast<std::size_t>(data[0]) + 1;
    const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
    LogFrames whole;
    const auto expected = whole.feed(text);
    LogFrames pieces;
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += step) {
        for (auto& line : pieces.feed(text.substr(at, step))) {
            PETREL_ASSERT(line.size() <= kLongestLogLine, "a line of {} bytes", line.size());
            lines.push_back(std::move(line));
        }
        PETREL_ASSERT(pieces.waiting() <= kLongestLogLine + 16, "{} bytes wait", pieces.waiting());
    }
    PETREL_ASSERT(lines == expected && pieces.skipped() == whole.skipped(), "pieces give other lines than the whole");
    return 0;
}

#include "terminal/source_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/complaint_text.hpp"

namespace petrel {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr std::size_t kMostBytes = std::size_t{64} * 1024;  // of a line
constexpr std::size_t kBefore = 40;                         // characters of a long line before the first mark
constexpr std::size_t kShown = 100;                         // and in all

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

std::size_t characters(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

// The first `count` characters of a text.
std::string_view first(std::string_view text, std::size_t count)
{
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        if (begins_character(text[at]) && count-- == 0) {
            break;
        }
    }
    return text.substr(0, at);
}

// Reads lines of files, of each file in one pass if their numbers increase.
class LineReader {
public:
    std::optional<std::string> line(const std::string& path, std::uint32_t number)
    {
        if (path != path_ || number <= number_) {
            std::error_code failed;
            const bool readable = std::filesystem::is_regular_file(path, failed);
            path_ = path;
            number_ = 0;
            file_ = readable ? std::ifstream{path} : std::ifstream{};
        }
        std::string line;
        for (; number_ != number; ++number_) {
            if (!std::getline(file_, line)) {
                return std::nullopt;
            }
        }
        if (number == 1 && line.starts_with("\xef\xbb\xbf")) {
            line.erase(0, 3);  // a byte order mark has no column
        }
        return line.size() > kMostBytes ? std::nullopt : std::optional{line};
    }

private:
    std::string path_;
    std::ifstream file_;
    std::uint32_t number_{};
};

}  // namespace

std::string marked_line(std::string_view line, std::span<const std::uint32_t> columns)
{
    std::string plain{line.substr(0, line.find_last_not_of("\r\n") + 1)};
    std::ranges::replace(plain, '\t', ' ');
    const std::size_t leftmost = *std::ranges::min_element(columns);
    std::size_t begin = 0;
    std::string_view shown = plain;
    if (characters(plain) > kShown) {
        begin = leftmost > kBefore ? leftmost - 1 - kBefore : 0;
        shown = first(shown.substr(first(shown, begin).size()), kShown);
    }
    std::string marks;
    for (const std::size_t column : columns) {
        if (column > begin && column <= begin + characters(shown) + 1) {
            const auto at = characters(escaped(first(shown, column - 1 - begin)));
            marks.resize(std::max(marks.size(), at + 1), ' ');
            marks[at] = '^';
        }
    }
    std::string text{kIndent};
    return text.append(escaped(shown)).append("\n").append(kIndent).append(marks).append("\n");
}

std::string with_source_lines(std::span<const Complaint> complaints)
{
    std::string text;
    std::vector<std::uint32_t> columns;
    LineReader reader;
    for (std::size_t i = 0; i < complaints.size(); ++i) {
        const auto& one = complaints[i];
        text += to_text(one) + '\n';
        if (one.line == 0 || one.column == 0) {
            continue;
        }
        columns.push_back(one.column);
        const bool more = i + 1 < complaints.size() && complaints[i + 1].file == one.file &&
                          complaints[i + 1].line == one.line && complaints[i + 1].column != 0;
        if (more) {
            continue;
        }
        // Values of parameters replace ${names} before a scenario is read: the columns are not those of the file.
        const auto line = reader.line(one.file, one.line);
        if (line && line->find("${") == std::string::npos) {
            text += marked_line(*line, columns);
        }
        columns.clear();
    }
    return text;
}

}  // namespace petrel

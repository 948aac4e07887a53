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
constexpr std::size_t kMostShown = 100;                     // characters of a long line
constexpr std::size_t kLeastShown = 10;                     // on any terminal

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

std::string marked_line(std::string_view line, std::span<const std::uint32_t> columns, std::size_t width)
{
    const auto room = std::clamp(width - std::min(width, kIndent.size()), kLeastShown, kMostShown);
    const auto before_first = room * 2 / 5;
    std::string plain{line.substr(0, line.find_last_not_of("\r\n") + 1)};
    std::ranges::replace(plain, '\t', ' ');
    const std::size_t leftmost = *std::ranges::min_element(columns);
    std::size_t begin = 0;
    std::string_view shown = plain;
    if (characters(plain) > room) {
        begin = leftmost > before_first ? leftmost - 1 - before_first : 0;
        shown = first(shown.substr(first(shown, begin).size()), room);
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

std::string with_source_lines(std::span<const Complaint> complaints, std::size_t width)
{
    std::string text;
    std::vector<std::uint32_t> columns;
    LineReader reader;
    for (std::size_t i = 0; i < complaints.size(); ++i) {
        const auto& one = complaints[i];
        text += wrapped(to_text(one), width) + '\n';
        if (one.line == 0 || one.column == 0) {
            continue;
        }
        columns.push_back(one.column);
        const bool more = i + 1 < complaints.size() && complaints[i + 1].file == one.file &&
                          complaints[i + 1].line == one.line && complaints[i + 1].column != 0;
        if (more) {
            continue;
        }
        const auto line = reader.line(one.file, one.line);
        if (line) {
            // Values of parameters replace ${names} before a scenario is read: columns behind are not those of the
            // file.
            const auto replaced = characters(std::string_view{*line}.substr(0, line->find("${")));
            std::erase_if(columns, [&](std::uint32_t column) { return column > replaced + 1; });
        }
        if (line && !columns.empty()) {
            text += marked_line(*line, columns, width);
        }
        columns.clear();
    }
    return text;
}

}  // namespace petrel

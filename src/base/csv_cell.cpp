#include "base/csv_cell.hpp"

#include <algorithm>

namespace petrel {

namespace {

constexpr char kMark = '\'';

bool is_number(std::string_view text)
{
    text.remove_prefix(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    const auto point = std::min(text.find('.'), text.size());
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return digits(text.substr(0, point)) && (point == text.size() || digits(text.substr(point + 1)));
}

// Ignores leading marks, so that text_of_csv_cell() removes a mark exactly where csv_cell() added one.
bool begins_formula(std::string_view text)
{
    const auto first = text.find_first_not_of(kMark);
    return first != std::string_view::npos && std::string_view{"=+-@\t\r"}.find(text[first]) != std::string_view::npos;
}

}  // namespace

std::string csv_cell(std::string_view text)
{
    std::string cell;
    if (begins_formula(text) && !is_number(text)) {
        cell += kMark;
    }
    if (text.find_first_of(",\"\n\r\t") == std::string_view::npos && !text.starts_with(' ') && !text.ends_with(' ')) {
        return cell.append(text);
    }
    for (const char c : text) {
        cell += c == '"' ? std::string{"\"\""} : std::string{c};
    }
    return '"' + cell + '"';
}

std::string_view text_of_csv_cell(std::string_view cell)
{
    return cell.substr(cell.starts_with(kMark) && begins_formula(cell) ? 1 : 0);
}

}  // namespace petrel

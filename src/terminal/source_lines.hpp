// Problems of files as text: each with its place, and below them the line of the file with marks at these places.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "terminal/wrap.hpp"

namespace petrel {

// One line for each complaint. After the last one about the same line of a file, that line with a caret at each column.
// The line is read from the file again: where it is no longer there, or is no file, the text has no such lines.
// No line is wider than `width`.
std::string with_source_lines(std::span<const Complaint>, std::size_t width = kAnyWidth);

// The line, indented, with a caret below each of the columns, which count characters from 1. A long line is cut around
// the first.
std::string marked_line(std::string_view line, std::span<const std::uint32_t> columns, std::size_t width = kAnyWidth);

}  // namespace petrel

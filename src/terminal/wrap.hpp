// Long lines on a narrow terminal: wraps them between words and never inside one.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace petrel {

inline constexpr auto kAnyWidth = std::numeric_limits<std::size_t>::max();

// Columns on the screen: characters, not bytes, and no colours.
std::size_t shown_width(std::string_view text);

// Breaks each line that is wider than `width` between two words. The rest is indented as far as the line, and by
// `hanging` columns more. In a row of columns (they have two blanks between them) the rest begins where the last column
// does, if that is in the left half. A word that is wider than the terminal has a line of its own.
std::string wrapped(std::string_view text, std::size_t width, std::size_t hanging = 4);

// One line; what does not fit continues at the column `begin`.
std::string wrapped_at(std::string_view line, std::size_t width, std::size_t begin);

}  // namespace petrel

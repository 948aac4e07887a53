// Names from outside as cells of CSV. A spreadsheet runs a cell that begins with =, +, - or @ as a formula; a single
// quote before it makes it a text. Numbers need none of this.
#pragma once

#include <string>
#include <string_view>

namespace petrel {

// In double quotes where a comma, a quote or the end of a line would end the cell; with a single quote before it where
// it would be a formula. Decimal numbers, negative ones too, stay as they are.
std::string csv_cell(std::string_view text);

// The text that csv_cell() was given, from the cell without its double quotes.
std::string_view text_of_csv_cell(std::string_view cell);

}  // namespace petrel

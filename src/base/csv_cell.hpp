// Names from outside as cells of CSV. A spreadsheet runs a cell that begins with =, +, - or @ as a formula; a single
// quote before it makes it text. Numbers need no quote.
#pragma once

#include <string>
#include <string_view>

namespace petrel {

// The text in double quotes if a comma, a quote or a line end would end the cell, and with a leading single quote if it
// would be a formula. Decimal numbers, also negative ones, are not changed.
std::string csv_cell(std::string_view text);

// The reverse of csv_cell(): the original text of a cell whose double quotes are already removed.
std::string_view text_of_csv_cell(std::string_view cell);

}  // namespace petrel

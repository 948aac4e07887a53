// The places of values in a JSON text, for complaints: the JSON library does not keep them. The text is searched again
// for each place, so this is for files with a problem. For the .cpp files of codec and its subfolders only: it includes
// the JSON library.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaint_list.hpp"

namespace petrel::codec {

// Keys of objects and indexes of arrays, from the outermost value inwards.
using JsonPath = std::vector<std::string>;

// The place of the value in a text that is JSON or, if there is none, of the innermost one that contains it.
Place json_place(std::string_view text, const JsonPath&);

// The same for a complaint of this list; unknown if the list is full, so that a large file with many problems does not
// take long.
Place json_place(std::string_view text, const JsonPath&, const ComplaintList&);

// The value of a text; a discarded one after a complaint: the text is not JSON, or is nested deeper than `deepest`.
nlohmann::json parse_json(std::string_view text, std::size_t deepest, ComplaintList&);

}  // namespace petrel::codec

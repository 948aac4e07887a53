// A table as one line of JSON: an object of strings, whose last member is a list of such objects.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace petrel::sonic_tools {

using Members = std::vector<std::pair<std::string, std::string>>;

std::string json_document(const Members& head, std::string_view list, const std::vector<Members>& rows);

}  // namespace petrel::sonic_tools

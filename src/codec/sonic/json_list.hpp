// Strings as a JSON array, the form in which SONiC's services send keys and values to each other.
#pragma once

#include <span>
#include <string>

namespace petrel::codec {

std::string json_list(std::span<const std::string> texts);

}  // namespace petrel::codec

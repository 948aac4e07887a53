// The file that a link command reads.
#pragma once

#include <string>

#include "base/result.hpp"

namespace petrel::cli {

struct LinkInput {
    std::string name;  // for messages
    std::string text;
};

Result<LinkInput> read_link_input(const std::string& file);  // "-" is stdin

}  // namespace petrel::cli

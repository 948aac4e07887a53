// Checks the shape of a JSON text before a tree is built from it. The JSON library's parser has a callback for that,
// but its cost grows with the square of the number of objects in an array.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace petrel::codec {

struct JsonShape {
    std::size_t depth{};                  // nesting depth of objects and arrays
    std::optional<std::string> repeated;  // a key that the outermost object has twice
};

// Of the text up to its first syntax error.
JsonShape json_shape(std::string_view text);

}  // namespace petrel::codec

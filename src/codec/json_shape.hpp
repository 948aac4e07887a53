// What a JSON text looks like, before anything is built of it. The library's parser has a callback for that, whose cost
// grows with the square of the number of objects in an array.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace petrel::codec {

struct JsonShape {
    std::size_t depth{};                  // objects and arrays within each other
    std::optional<std::string> repeated;  // a key that the outermost object has twice
};

// Of the text up to its first mistake.
JsonShape json_shape(std::string_view text);

}  // namespace petrel::codec

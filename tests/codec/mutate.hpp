// Random damage to a text: bytes changed, removed, inserted or repeated.
#pragma once

#include <random>
#include <string>

namespace petrel::codec {

inline std::string mutated(std::string text, std::mt19937_64& random)
{
    const auto below = [&random](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>{0, n - 1}(random);
    };
    static constexpr std::string_view kTelling = ",\"\n\r{}[]:=.#-0918 \\\xff\t";
    for (auto times = 1 + below(4); times > 0 && !text.empty(); --times) {
        const auto at = below(text.size());
        const char byte = below(2) == 0 ? static_cast<char>(below(256)) : kTelling[below(kTelling.size())];
        switch (below(4)) {
        case 0: text[at] = byte; break;
        case 1: text.erase(at, 1 + below(8)); break;
        case 2: text.insert(at, 1, byte); break;
        default: text.insert(below(text.size()), text.substr(at, below(40))); break;
        }
    }
    return text;
}

}  // namespace petrel::codec

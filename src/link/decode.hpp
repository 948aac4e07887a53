// What a vendor's code means in our words. The code is kept as it came, understood or not: the meaning is derived, and
// may be derived again when more is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "link/taxonomy.hpp"

namespace petrel::link {

struct DecodedPart {
    std::string code;
    std::string name;
    Canonical canonical{};
};

struct Decoded {
    std::string list;  // "hpe.sl_cause"
    std::string raw;   // as it was given
    std::optional<std::uint64_t> number;
    Canonical canonical{kUnclassified};  // of the first part, unless the parts contradict each other
    std::vector<DecodedPart> parts;      // of a map of bits: the lowest layer first; several of a text: it is ambiguous
    std::uint64_t unknown_bits{};
    std::vector<std::string> remarks;  // bits that tell about the event, and are no cause of it

    bool known() const { return canonical != kUnclassified && !cause(canonical).symbol.empty(); }
};

// `value` is a code of the vendor's first list, or of another one as "list:code"; a word may also be the name of a
// code. Refused: an unknown vendor or list. A code that is not known is an answer like any other.
Result<Decoded> decode(std::string_view vendor, std::string_view value);

std::vector<std::string_view> vendors();

}  // namespace petrel::link

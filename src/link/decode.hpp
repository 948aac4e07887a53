// Maps a vendor's code to the causes of taxonomy.hpp. The code itself is always stored unchanged, known or not, so that
// a later version can decode it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "link/raw_code.hpp"
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
    Canonical canonical{kUnclassified};  // the cause of the first part; kUnclassified if a text is ambiguous
    std::vector<DecodedPart> parts;      // one for each set bit, lowest layer first; several for an ambiguous text
    std::uint64_t unknown_bits{};
    std::vector<std::string> remarks;  // what else the code shows about the event, besides the cause

    bool known() const { return canonical != kUnclassified && !cause(canonical).symbol.empty(); }
};

// `value` is a code of the vendor's first list, or of another one as "list:code"; a name may also be that of a
// code. An unknown vendor or list is an error. An unknown code is not: it is returned as unclassified.
Result<Decoded> decode(std::string_view vendor, std::string_view value);

Decoded decode(const RawCode&);

std::vector<std::string_view> vendors();

}  // namespace petrel::link

// One number for every cause, for all vendors. Causes up to 0xff are the link-down reasons of reasons.hpp with the same
// codes; causes above are those that reasons.hpp does not have. Vendors' codes are mapped to causes in
// vendor_codes.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "link/reasons.hpp"

namespace petrel::link {

using Canonical = std::uint16_t;

inline constexpr Canonical kPauseTooLongFromPeer = 0x0801;
inline constexpr Canonical kStormMitigated = 0x0804;
inline constexpr Canonical kUnclassified = 0xffff;

struct Cause {
    Canonical canonical{};
    std::string_view symbol;  // empty for a reserved reason: see symbol_of
    CauseClass cause_class{};
    Intent intent{};
    bool link_stays_up{};  // an error of a port whose link is up, not a link-down reason
    std::uint8_t wire{};   // the reason to send to a neighbour that supports only link-down reasons
    std::string_view meaning;
    std::string_view advice{};
};

// Returns kUnclassified for an unknown number.
Cause cause(Canonical);
std::string symbol_of(Canonical);  // "PHY_HIGH_BER", "RESERVED_34"

// The causes that a person may mean: a number ("39", "0x27", "0x0108"), a symbol ("FM_BOUNCE"), a text of reasons.hpp
// ("FM Bounce") or of Omni-Path's tools ("Neigh Unknown"). If no name is exactly the given one, upper and lower case,
// and blank, '-' and '_' are the same. Several causes: the name is ambiguous. None: it is unknown.
std::vector<Canonical> causes_named(std::string_view);

struct VendorCode {
    std::string_view code;  // as the vendor writes it: "7", "0xB", "0.1" (state and sub-state), "1<<5", or a name
    std::string_view name;
    Canonical canonical{};
};

enum class CodeKind : std::uint8_t { number, bits, state, name };

// One vendor's list of codes.
struct Vocabulary {
    std::string_view vendor;  // "hpe"
    std::string_view list;    // "sl_cause"
    CodeKind kind{};
    std::span<const VendorCode> codes;  // none for opa.ldr: that list is reasons.hpp itself
};

std::span<const Vocabulary> vocabularies();  // the first list of a vendor is its default

}  // namespace petrel::link

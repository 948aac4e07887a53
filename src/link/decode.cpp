#include "link/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "link/opa_text.hpp"

namespace petrel::link {
namespace {

// "12", "0xB" and "1<<5".
std::optional<std::uint64_t> number_in(std::string_view text)
{
    constexpr std::string_view kShift = "1<<";
    constexpr std::string_view kHex = "0x";
    const bool shift = text.starts_with(kShift);
    const bool hex = text.starts_with(kHex) || text.starts_with("0X");
    text.remove_prefix(shift ? kShift.size() : hex ? kHex.size() : 0);
    std::uint64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number, hex ? 16 : 10);
    if (text.empty() || problem != std::errc{} || stop != end || (shift && number > 63)) {
        return std::nullopt;
    }
    return shift ? std::uint64_t{1} << number : number;
}

// Bits 61 to 63 of HPE's map describe the circumstances, not the cause.
constexpr std::array<std::pair<unsigned, const char*>, 3> kHpeRemarks{{
    {61, "may be retried"},
    {62, "arrived unsolicited, while the link was up"},
    {63, "arrived while the link was being brought up"},
}};

// Lower layers first: for example, a missing module explains every error of the layers above.
int layer(Canonical canonical)
{
    constexpr Canonical kNoMedia = 50;
    switch (canonical == kNoMedia ? CauseClass::media : cause(canonical).cause_class) {
    case CauseClass::media:
    case CauseClass::power_thermal: return 0;
    case CauseClass::phy: return 1;
    case CauseClass::bringup: return 2;
    case CauseClass::link_layer: return 3;
    default: return 4;
    }
}

void decode_bits(const Vocabulary& vocabulary, std::uint64_t map, Decoded& decoded)
{
    for (const auto& known : vocabulary.codes) {
        const auto bit = *number_in(known.code);
        if ((map & bit) != 0) {
            decoded.parts.push_back({std::string{known.code}, std::string{known.name}, known.canonical});
            map &= ~bit;
        }
    }
    if (vocabulary.vendor == "hpe") {
        for (const auto& [bit, text] : kHpeRemarks) {
            if ((map >> bit & 1U) != 0) {
                decoded.remarks.emplace_back(text);
                map &= ~(std::uint64_t{1} << bit);
            }
        }
    }
    decoded.unknown_bits = map;
    // Tables are in the order of the bits; within a layer the lowest bit stays first.
    std::vector<DecodedPart> by_layer;
    for (int wanted = 0; wanted <= 4; ++wanted) {
        std::copy_if(decoded.parts.begin(), decoded.parts.end(), std::back_inserter(by_layer),
                     [wanted](const auto& part) { return layer(part.canonical) == wanted; });
    }
    decoded.parts = std::move(by_layer);
}

void decode_reason(std::uint64_t code, Decoded& decoded)
{
    if (code <= 0xff) {
        const auto& why = reason(static_cast<std::uint8_t>(code));
        decoded.parts.push_back({fmt::format("{}", code),
                                 why.known() ? fmt::format("OPA_LINKDOWN_REASON_{}", why.symbol) : "reserved",
                                 static_cast<Canonical>(code)});
    }
}

void decode_reason_text(std::string_view text, Decoded& decoded)
{
    for (std::uint64_t code = 0; code <= 0xff; ++code) {
        const auto& why = reason(static_cast<std::uint8_t>(code));
        if (why.known() && (why.text == text || why.symbol == text || opa_tool_text(why.code) == text)) {
            decode_reason(code, decoded);
        }
    }
    if (decoded.parts.size() > 1) {
        decoded.remarks.emplace_back("the text is ambiguous, only the number is unique");
    }
}

bool is_code(const Vocabulary& vocabulary, const VendorCode& known, std::string_view value,
             const std::optional<std::uint64_t>& number)
{
    if (vocabulary.kind == CodeKind::number && number) {
        return number_in(known.code) == number;
    }
    const bool main_state = vocabulary.kind == CodeKind::state && number && known.code == fmt::format("{}.0", *number);
    return main_state || known.code == value || known.name == value;
}

Decoded decode_in(const Vocabulary& vocabulary, std::string_view value)
{
    Decoded decoded{fmt::format("{}.{}", vocabulary.vendor, vocabulary.list),
                    std::string{value},
                    number_in(value),
                    kUnclassified,
                    {},
                    0,
                    {}};
    const bool bits = vocabulary.kind == CodeKind::bits;
    if (vocabulary.codes.empty()) {
        decoded.number ? decode_reason(*decoded.number, decoded) : decode_reason_text(value, decoded);
    } else if (bits && decoded.number) {
        decode_bits(vocabulary, *decoded.number, decoded);
    } else {
        for (const auto& known : vocabulary.codes) {
            if (is_code(vocabulary, known, value, decoded.number)) {
                decoded.parts.push_back({std::string{known.code}, std::string{known.name}, known.canonical});
                break;
            }
        }
    }
    if (bits ? !decoded.parts.empty() : decoded.parts.size() == 1) {
        decoded.canonical = decoded.parts.front().canonical;
    }
    if (decoded.list == "opa.offdis" && decoded.number == 3) {
        decoded.remarks.emplace_back("a port that reboots (35) shows the same number");
    }
    return decoded;
}

std::vector<Vocabulary> lists_of(std::string_view vendor)
{
    std::vector<Vocabulary> lists;
    std::copy_if(vocabularies().begin(), vocabularies().end(), std::back_inserter(lists),
                 [vendor](const auto& one) { return one.vendor == vendor; });
    return lists;
}

}  // namespace

Result<Decoded> decode(std::string_view vendor, std::string_view value)
{
    auto lists = lists_of(vendor);
    if (lists.empty()) {
        return tl::unexpected(Error{ErrorKind::invalid,
                                    fmt::format("vendor '{}': allowed one of {}", vendor, fmt::join(vendors(), ", "))});
    }
    if (const auto colon = value.find(':'); colon != std::string_view::npos) {
        const auto wanted = value.substr(0, colon);
        const auto at = std::find_if(lists.begin(), lists.end(), [&](const auto& one) { return one.list == wanted; });
        if (at == lists.end()) {
            std::vector<std::string_view> names;
            std::transform(lists.begin(), lists.end(), std::back_inserter(names), [](const auto& l) { return l.list; });
            return tl::unexpected(Error{ErrorKind::invalid, fmt::format("list '{}' of {}: allowed one of {}", wanted,
                                                                        vendor, fmt::join(names, ", "))});
        }
        return decode_in(*at, value.substr(colon + 1));
    }
    // A number belongs to the vendor's first list with numbers. A name may be in any list.
    auto first = decode_in(lists.front(), value);
    for (const auto& list : lists) {
        if (first.number && list.kind == CodeKind::name) {
            continue;
        }
        if (auto decoded = decode_in(list, value); first.number || !decoded.parts.empty()) {
            return decoded;
        }
    }
    return first;
}

Decoded decode(const RawCode& raw)
{
    const auto& list = vocabularies()[raw.list];
    const auto text = list.kind == CodeKind::state ? fmt::format("{}.{}", raw.code >> 8U, raw.code & 0xffU)
                                                   : fmt::format("0x{:x}", raw.code);
    return decode_in(list, text);
}

std::vector<std::string_view> vendors()
{
    std::vector<std::string_view> names;
    for (const auto& one : vocabularies()) {
        if (names.empty() || names.back() != one.vendor) {
            names.push_back(one.vendor);
        }
    }
    return names;
}

}  // namespace petrel::link

// A vendor's code as it was read. It is stored beside the reason that is derived from it, so that a later version can
// decode it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petrel::link {

struct RawCode {
    std::uint8_t list{};   // index into vocabularies(); files contain its name
    std::uint64_t code{};  // of a list of states: the state, and the sub-state in the lowest eight bits
    bool operator==(const RawCode&) const = default;
};

std::optional<std::uint8_t> list_named(std::string_view);  // "sai.port_error"
std::string list_name(std::uint8_t list);

}  // namespace petrel::link

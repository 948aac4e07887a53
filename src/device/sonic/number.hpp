// A value of SONiC's databases as a number.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace petrel::device::sonic {

inline std::optional<std::uint64_t> number(std::string_view text)
{
    std::uint64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto [at, problem] = std::from_chars(text.data(), end, value);
    return problem == std::errc{} && at == end ? std::optional{value} : std::nullopt;
}

}  // namespace petrel::device::sonic

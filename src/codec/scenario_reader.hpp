// Reads a scenario (TOML). Every problem comes at once, with its place; what only shows when all is put together (a
// buffer too small for its headroom) comes without one. The format: docs/scenario-file.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "scenario/scenario.hpp"

namespace petrel::codec {

// `seed`, if given, is used instead of the file's.
Parsed<scenario::Scenario> read_scenario(std::string_view text, std::string_view file,
                                         std::optional<std::uint64_t> seed = {});

}  // namespace petrel::codec

// Reads a scenario (TOML). Reports all problems at once, each with its place in the file. Problems that show only when
// all parts are combined (a buffer too small for its headroom) have no place. The format: docs/scenario-file.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "scenario/scenario.hpp"

namespace petrel::codec {

// `seed` overrides that of the file.
Parsed<scenario::Scenario> read_scenario(std::string_view text, std::string_view file,
                                         std::optional<std::uint64_t> seed = {});

}  // namespace petrel::codec

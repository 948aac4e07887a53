// Reads a scenario (TOML). Reports all problems at once, each with its place in the file. Problems that show only when
// all parts are combined (a buffer too small for its headroom) have no place. The format: docs/scenario-file.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "codec/scenario/defaults.hpp"
#include "codec/scenario/template.hpp"
#include "scenario/scenario.hpp"

namespace petrel::codec {

// `seed` overrides that of the file. `defaults` is what read_defaults() returned for the text.
Parsed<scenario::Scenario> read_scenario(std::string_view text, std::string_view file,
                                         std::optional<std::uint64_t> seed = {}, const Defaults& defaults = {});

// Reads a scenario file with content `text`: with the settings of its parameters and with its shared defaults, which
// `read` reads.
Parsed<scenario::Scenario> read_whole_scenario(std::string_view text, const std::string& file, const Settings&,
                                               const ReadText& read);

}  // namespace petrel::codec

// Ranges in the notation of scenarios: ">= 95G", "<= 3", "400ms..600ms", or one value.
#pragma once

#include <optional>
#include <string_view>

#include "scenario/expectation.hpp"

namespace petrel::codec {

std::optional<scenario::Range> range_in(std::string_view text, scenario::Unit);
std::string_view allowed_range(scenario::Unit);

}  // namespace petrel::codec

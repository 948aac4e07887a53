// Reads a recorded trace: CSV with a header, or JSON lines with the same names. The format: docs/trace-format.md.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "device/replay/trace.hpp"

namespace petrel::codec {

Parsed<device::Trace> read_trace(std::string_view text, std::string_view file);

}  // namespace petrel::codec

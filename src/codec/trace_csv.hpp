// Locates the cells of a trace in CSV with a header.
#pragma once

#include "codec/trace_builder.hpp"

namespace petrel::codec {

void read_csv_rows(std::string_view text, TraceBuilder&, ComplaintList&);

}  // namespace petrel::codec

// Locates the cells of a trace in JSON lines: one flat object a line, its keys are the column names.
#pragma once

#include "codec/trace_builder.hpp"

namespace petrel::codec {

void read_json_rows(std::string_view text, TraceBuilder&, ComplaintList&);

}  // namespace petrel::codec

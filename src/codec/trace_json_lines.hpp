// Finds the cells of a trace written as JSON lines: one flat object a line, its keys the names of the columns.
#pragma once

#include "codec/trace_builder.hpp"

namespace petrel::codec {

void read_json_rows(std::string_view text, TraceBuilder&, ComplaintList&);

}  // namespace petrel::codec

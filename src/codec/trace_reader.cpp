#include "codec/trace_reader.hpp"

#include <utility>

#include "codec/trace_csv.hpp"
#include "codec/trace_json_lines.hpp"

namespace petrel::codec {

Parsed<device::Trace> read_trace(std::string_view text, std::string_view file)
{
    ComplaintList complaints{file};
    TraceBuilder builder;
    const auto first = TextLines{text}.next();
    if (first && trimmed(first->text).front() == '{') {
        read_json_rows(text, builder, complaints);
    } else {
        read_csv_rows(text, builder, complaints);
    }
    if (!complaints.empty()) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    return std::move(builder).finish();
}

}  // namespace petrel::codec

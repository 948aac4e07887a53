// What another tool has recorded, or any bytes in its place, gives a trace that `petrel replay` reads, or a list of
// complaints. The first line is the format; a mapping file follows up to a zero byte, and the recording is the rest.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "codec/import/import_trace.hpp"
#include "codec/trace_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto format = text.substr(0, text.find('\n'));
    const auto rest = text.substr(std::min(text.size(), format.size() + 1));
    const auto map = rest.substr(0, rest.find('\0'));
    const auto recording = rest.substr(std::min(rest.size(), map.size() + 1));
    codec::ImportRequest request{format, {{"c-2026-03-09T07:05:00.123Z.json", std::string{recording}}}, {}, {}, {}};
    if (!map.empty()) {
        request.map = codec::ImportFile{"map.toml", std::string{map}};
    }
    const auto made = codec::import_trace(request);
    if (!made) {
        PETREL_ASSERT(!made.error().empty(), "refused without a reason");
        for (const auto& complaint : made.error()) {
            PETREL_ASSERT(!to_text(complaint).empty(), "an empty complaint");
        }
        return 0;
    }
    PETREL_ASSERT(codec::read_trace(made->csv, "fuzz"), "a trace that cannot be read");
    PETREL_ASSERT(!made->notes.empty(), "a trace without a note on its pace");
    return 0;
}

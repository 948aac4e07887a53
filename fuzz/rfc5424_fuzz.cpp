// Any bytes give a log line or an error. A line that is built and parsed again is the same, and so is a message about
// pause in it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "wire/pause_log.hpp"
#include "wire/xname.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::wire;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    if (const auto name = parse_xname(text)) {
        const auto normal = parse_xname(to_string(*name));
        PETREL_ASSERT(normal && *normal == *name, "a name is not the same in its normal form");
    }
    const auto line = parse_log_line(text);
    if (!line) {
        PETREL_ASSERT(!line.error().what.empty(), "refused without a reason");
        return 0;
    }
    const auto built = parse_log_line(build(*line));
    PETREL_ASSERT(built && *built == *line, "what was read is built otherwise");
    if (const auto message = pause_message(*line)) {
        const auto again = pause_line(*message, {line->at.value_or(petrel::WallTime{}), line->host, 1});
        PETREL_ASSERT(pause_message(again) == message, "a message is not the same after writing and reading");
    }
    return 0;
}

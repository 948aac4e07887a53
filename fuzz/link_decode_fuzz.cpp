// Any code of any vendor is decoded or refused, and the code itself is kept as it was given. The first line is the
// vendor, the rest the code.
#include <algorithm>
#include <string_view>

#include "base/assert.hpp"
#include "link/decode.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::link;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto vendor = text.substr(0, text.find('\n'));
    const auto value = text.substr(std::min(text.size(), vendor.size() + 1));
    const auto decoded = decode(vendor, value);
    if (!decoded) {
        PETREL_ASSERT(!decoded.error().what.empty(), "refused without a reason");
        return 0;
    }
    PETREL_ASSERT(value.ends_with(decoded->raw), "'{}' became '{}'", value, decoded->raw);
    PETREL_ASSERT(!decoded->known() || !decoded->parts.empty(), "known by nothing");
    return 0;
}

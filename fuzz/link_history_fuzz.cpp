// Any bytes give a history or a list of complaints, never a crash. A history that is written and read again is the
// same.
#include <string_view>

#include "base/assert.hpp"
#include "codec/link_history.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel;
    const auto histories = codec::read_link_history({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (!histories) {
        PETREL_ASSERT(!histories.error().empty(), "refused without a reason");
        return 0;
    }
    const auto again = codec::read_link_history(codec::link_history_text(*histories), "fuzz");
    PETREL_ASSERT(again.has_value() && *again == *histories, "not the same after writing and reading");
    return 0;
}

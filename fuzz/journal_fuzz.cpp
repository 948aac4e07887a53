// Any bytes give journal entries or an error. Entries that are written and read again are the same.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/assert.hpp"
#include "runtime/file_journal_format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::runtime;
    const auto content = parse_journal(std::as_bytes(std::span{data, size}));
    if (!content) {
        PETREL_ASSERT(!content.error().what.empty(), "refused without a reason");
        return 0;
    }
    PETREL_ASSERT(content->size + content->dropped == size, "{} + {} of {} bytes", content->size, content->dropped,
                  size);
    const auto again = parse_journal(journal_bytes(content->device, content->entries));
    PETREL_ASSERT(again && again->dropped == 0, "a written journal cannot be read again");
    PETREL_ASSERT(again->entries == content->entries && again->device == content->device,
                  "a written journal differs when it is read again");
    return 0;
}

// Any bytes are an entry of the managers' log or are refused with a reason. An entry is the same after writing and
// reading.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "codec/group/log_entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::codec;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto entry = read_log_entry(text);
    if (!entry) {
        PETREL_ASSERT(!entry.error().what.empty(), "refused without a reason");
    } else {
        const auto written = log_entries(*entry);
        PETREL_ASSERT(written.size() == 1, "an entry became {}", written.size());
        const auto again = read_log_entry(written[0]);
        PETREL_ASSERT(again && *again == *entry, "an entry is not the same after writing and reading");
    }
    const auto leader = read_leader_record(text);
    PETREL_ASSERT(read_leader_record(leader_record(leader)) == leader, "a leader is not the same");
    return 0;
}

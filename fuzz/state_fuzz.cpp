// Any bytes are accepted as a state file. The records found in it are in order, and are the same when they are written
// and read again.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/assert.hpp"
#include "runtime/state_format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::runtime;
    constexpr std::string_view kDevice = "leaf-1";  // as in the corpus
    const auto content = parse_state(std::as_bytes(std::span{data, size}), kDevice);
    PETREL_ASSERT(content.size + content.dropped == size, "{} + {} of {} bytes", content.size, content.dropped, size);
    PETREL_ASSERT(content.remembered || content.events.empty(), "events without a record");
    std::uint64_t last = 0;
    for (const auto& event : content.events) {
        PETREL_ASSERT(event.seq > last, "event {} after {}", event.seq, last);
        last = event.seq;
    }
    if (!content.remembered) {
        return 0;
    }
    auto bytes = state_header(kDevice);
    const auto record = state_record(kDevice, *content.remembered, content.events);
    bytes.insert(bytes.end(), record.begin(), record.end());
    const auto again = parse_state(bytes, kDevice);
    PETREL_ASSERT(again.damage.empty() && again.dropped == 0, "a written state cannot be read again");
    PETREL_ASSERT(again.remembered == content.remembered && again.events == content.events,
                  "a written state differs when it is read again");
    return 0;
}

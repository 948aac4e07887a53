// Any bytes give a pause frame or an error. A frame that is built and parsed again is the same.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/assert.hpp"
#include "wire/mac_control.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::wire;
    const auto frame = parse_pause(std::as_bytes(std::span{data, size}));
    if (!frame) {
        PETREL_ASSERT(!frame.error().what.empty(), "refused without a reason");
        return 0;
    }
    const auto again = parse_pause(build(*frame));
    PETREL_ASSERT(again && *again == *frame, "what was read is built otherwise");
    return 0;
}

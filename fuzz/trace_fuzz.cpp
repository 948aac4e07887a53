// Any bytes give a trace or a list of complaints, never a crash. The parts of a trace are consistent.
#include <algorithm>
#include <string_view>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "codec/trace_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto trace = petrel::codec::read_trace({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (!trace) {
        PETREL_ASSERT(!trace.error().empty(), "refused without a reason");
        for (const auto& complaint : trace.error()) {
            PETREL_ASSERT(!petrel::to_text(complaint).empty(), "an empty complaint");
        }
        return 0;
    }
    for (const auto& device : trace->devices) {
        PETREL_ASSERT(device.samples.size() == device.time_us.size(), "a time for every sample");
        PETREL_ASSERT(std::is_sorted(device.time_us.begin(), device.time_us.end()), "sorted by time");
        for (const auto& sample : device.samples) {
            PETREL_ASSERT(sample.slot.value < device.inventory.rows.size(), "slot {}", sample.slot.value);
            PETREL_ASSERT((sample.known & ~device.capabilities.fields) == 0, "fields {:x}", sample.known);
        }
    }
    return 0;
}

// Any bytes are a report or are refused with a reason. The state of a device is the same after writing and reading.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "codec/manager/report_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::codec;
    const auto report = read_report({reinterpret_cast<const char*>(data), size});
    if (!report) {
        PETREL_ASSERT(!report.error().what.empty(), "refused without a reason");
        return 0;
    }
    PETREL_ASSERT(!report->agent.empty(), "a report of no agent");
    for (const auto& [event, text] : report->events) {
        PETREL_ASSERT(event.seq > 0 && !event.device.empty() && text.find('\n') == text.npos,
                      "an event that is no line");
    }
    for (const auto& state : report->devices) {
        const auto again = read_device_state(device_state_json(state));
        PETREL_ASSERT(again && *again == state, "a state is not the same after writing and reading");
    }
    return 0;
}

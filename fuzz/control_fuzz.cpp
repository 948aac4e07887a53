// Any bytes give a request, an answer or an error, never a crash. A request or answer that is written and read again is
// the same.
#include <string_view>

#include "base/assert.hpp"
#include "codec/control_json.hpp"
#include "codec/event_reader.hpp"

namespace {

using namespace petrel;

template <class Read>
void same_again(std::string_view line, const Read& read)
{
    const auto first = read(line);
    if (!first) {
        PETREL_ASSERT(!first.error().what.empty() || line.find("what") != std::string_view::npos,
                      "refused without a reason, unless the agent reported it");
        return;
    }
    const auto again = read(codec::answer_json(*first));
    PETREL_ASSERT(again.has_value() && *again == *first, "not the same after writing and reading");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view line{reinterpret_cast<const char*>(data), size};
    if (const auto request = codec::read_request(line)) {
        const auto again = codec::read_request(codec::request_json(*request));
        PETREL_ASSERT(again.has_value() && *again == *request, "another request after writing and reading");
    } else {
        PETREL_ASSERT(!request.error().what.empty(), "refused without a reason");
    }
    same_again(line, codec::read_status);
    same_again(line, codec::read_queues);
    same_again(line, codec::read_explanation);
    same_again(line, codec::read_order);
    same_again(line, codec::read_reload);
    same_again(line, codec::read_tables);
    static_cast<void>(codec::read_events_end(line));
    static_cast<void>(codec::read_event(line));
    return 0;
}

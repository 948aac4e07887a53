// Any bytes give a script or a list of complaints. Every script can be played to its end.
#include <string_view>

#include "base/assert.hpp"
#include "codec/link_script.hpp"
#include "link/link_play.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel;
    const auto script = codec::read_link_script({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (!script) {
        PETREL_ASSERT(!script.error().empty(), "refused without a reason");
        return 0;
    }
    link::LinkPlay play;
    for (const auto& line : *script) {
        const auto ignored = play.act(line.event);
        PETREL_ASSERT(!ignored || !ignored->empty(), "ignored without a reason");
        PETREL_ASSERT(play.read(link::Side::a).settled && play.read(link::Side::b).settled, "a window is left open");
    }
    return 0;
}

// Any bytes give a profile of a SAI library or the names of its ports, or complaints.
#include <set>
#include <string_view>

#include "base/assert.hpp"
#include "device/sai/port_names.hpp"
#include "device/sai/profile.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::device::sai;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto profile = parse_profile(text, "fuzz");
    PETREL_ASSERT(profile || !profile.error().empty(), "a profile is refused without a reason");
    const auto ports = parse_port_names(text, "fuzz");
    if (!ports) {
        PETREL_ASSERT(!ports.error().empty(), "names are refused without a reason");
        return 0;
    }
    std::set<std::string> names;
    for (const auto& port : *ports) {
        PETREL_ASSERT(!port.lanes.empty() && names.insert(port.name).second, "{} has no lane or is there twice",
                      port.name);
    }
    return 0;
}

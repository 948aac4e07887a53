// The output of another tool, or any bytes in its place, gives ports or a list of complaints. The first line is the
// tool, the rest its output.
#include <algorithm>
#include <string_view>

#include "base/assert.hpp"
#include "codec/link_import.hpp"
#include "codec/link_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto tool = text.substr(0, text.find('\n'));
    const auto output = text.substr(std::min(text.size(), tool.size() + 1));
    const auto ports =
        tool == "ethtool" ? codec::read_ethtool_settings(output, "fuzz") : codec::read_opa_port_info(output, "fuzz");
    if (!ports) {
        PETREL_ASSERT(!ports.error().empty(), "refused without a reason");
        return 0;
    }
    PETREL_ASSERT(!ports->empty(), "accepted without a port");
    for (const auto& port : *ports) {
        PETREL_ASSERT(!codec::imported_json(port).empty(), "a port that cannot be printed");
    }
    return 0;
}

// Any bytes give ports, links, results of orders, events and certificates or an error, for commands and agents that ask
// a manager.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "codec/fleet_client_json.hpp"
#include "codec/manager/enrolment_json.hpp"
#include "codec/manager/view_json.hpp"
#include "codec/manager/view_reader.hpp"
#include "codec/uplink_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::codec;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto ports = read_ports_view(text);
    PETREL_ASSERT(ports || !ports.error().what.empty(), "refused without a reason");
    if (ports) {
        const auto written = ports_json(*ports);
        const auto again = read_ports_view(written);
        PETREL_ASSERT(again && ports_json(*again) == written, "the ports are not the same after writing and reading");
    }
    if (const auto links = read_links_view(text)) {
        const auto written = links_json(*links);
        const auto again = read_links_view(written);
        PETREL_ASSERT(again && links_json(*again) == written, "the links are not the same after writing and reading");
    }
    read_links_to_clear(text);
    if (const auto report = read_fleet_report(text)) {
        for (const auto& one : report->agents) {
            PETREL_ASSERT(!fleet_answer_json(one).empty(), "an answer that cannot be shown");
        }
    }
    if (const auto events = read_fleet_events(text)) {
        for (const auto& line : events->lines) {
            PETREL_ASSERT(!line.event.empty() && line.event.find('\n') == std::string::npos,
                          "an event that is no line");
        }
    }
    const auto token = read_invitation_token(text);
    const auto certificate = read_certificate_answer(text);
    PETREL_ASSERT((token || !token.error().what.empty()) && (certificate || !certificate.error().what.empty()),
                  "refused without a reason");
    return 0;
}

// Any bytes give a scenario or a list of complaints, never a crash. A scenario refers only to nodes, ports and links of
// its fabric. The bytes after a zero byte are the defaults that the scenario may name. No file is read.
#include <algorithm>
#include <string_view>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view all{reinterpret_cast<const char*>(data), size};
    const auto text = all.substr(0, all.find('\0'));
    const auto read = [&](const std::string& file) -> petrel::Result<std::string> {
        const auto folder = file.substr(0, file.rfind('/'));
        PETREL_ASSERT(folder == "top/defaults" || folder == "top/plans/defaults", "reads {}", file);
        return std::string{all.substr(std::min(text.size() + 1, all.size()))};
    };
    const auto defaults = petrel::codec::read_defaults(text, "top/plans/fuzz.toml", read);
    const auto scenario =
        petrel::codec::read_scenario(text, "top/plans/fuzz.toml", {}, defaults.value_or(petrel::codec::Defaults{}));
    PETREL_ASSERT(defaults || !scenario, "a scenario without the defaults that it names");
    if (!scenario) {
        PETREL_ASSERT(!scenario.error().empty(), "refused without a reason");
        for (const auto& complaint : scenario.error()) {
            PETREL_ASSERT(!petrel::to_text(complaint).empty(), "an empty complaint");
        }
        return 0;
    }
    const auto& setup = scenario->setup;
    PETREL_ASSERT(petrel::twin::problems(setup).empty(), "a setup the twin would refuse");
    std::size_t flows = 0;
    for (const auto& item : scenario->traffic) {
        PETREL_ASSERT(item.first_flow == flows, "an item begins at flow {}, not {}", item.first_flow, flows);
        flows += item.flows;
    }
    PETREL_ASSERT(flows == setup.flows.size(), "{} flows of {} in an item", flows, setup.flows.size());
    for (const auto& watch : scenario->watches) {
        const auto& ports = setup.topology.nodes.at(watch.node.value).ports;
        for (const auto& assignment : watch.book.assigned) {
            PETREL_ASSERT(assignment.policy < watch.book.policies.size(), "policy {}", assignment.policy);
            PETREL_ASSERT(assignment.port.value_or(0) < ports.size(), "port {}", *assignment.port);
        }
    }
    for (const auto& capture : scenario->captures) {
        PETREL_ASSERT(capture.link < setup.topology.links.size(), "link {}", capture.link);
    }
    return 0;
}

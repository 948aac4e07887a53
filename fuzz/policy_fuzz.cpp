// Any bytes give a policy file or a list of complaints, never a crash. Assignments refer only to policies and ports
// that exist.
#include <array>
#include <string_view>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "codec/policy_reader.hpp"
#include "config/policy_bind.hpp"

namespace {

petrel::watchdog::Inventory two_ports()
{
    petrel::watchdog::Inventory inventory;
    inventory.ports = {{"Ethernet0", "x0c0r4j3p0", {}}, {"Ethernet4", "", {}}};
    inventory.rows.resize(2);
    inventory.rows[1].target = {petrel::PortId{{}, 1}, petrel::Priority{3}};
    return inventory;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto file = petrel::codec::read_policy_file({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (!file) {
        PETREL_ASSERT(!file.error().empty(), "refused without a reason");
        for (const auto& complaint : file.error()) {
            PETREL_ASSERT(!petrel::to_text(complaint).empty(), "an empty complaint");
        }
        return 0;
    }
    for (const auto& entry : file->policies) {
        PETREL_ASSERT(petrel::watchdog::check(entry.policy).empty(), "a policy that does not hold together");
    }
    auto inventory = two_ports();
    if (const auto books = petrel::config::bind_ports(*file, std::array{&inventory})) {
        for (const auto& assignment : books->front().assigned) {
            PETREL_ASSERT(assignment.policy < books->front().policies.size(), "policy {}", assignment.policy);
            PETREL_ASSERT(assignment.port.value_or(0) < inventory.ports.size(), "port {}", *assignment.port);
        }
    }
    return 0;
}

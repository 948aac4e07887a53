// Any bytes give a checkpoint or a list of complaints, never a crash. A checkpoint that is written and read again is
// the same.
#include <string_view>

#include "base/assert.hpp"
#include "codec/checkpoint_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel;
    watchdog::Inventory inventory;
    inventory.ports = {{"Ethernet0", "", {}}};
    inventory.rows.resize(2);
    inventory.rows[1].target.priority = Priority{3};

    const auto checkpoint = codec::read_checkpoint({reinterpret_cast<const char*>(data), size}, "fuzz", inventory);
    if (!checkpoint) {
        PETREL_ASSERT(!checkpoint.error().empty(), "refused without a reason");
        return 0;
    }
    const auto again = codec::read_checkpoint(codec::checkpoint_json(*checkpoint, inventory), "fuzz", inventory);
    PETREL_ASSERT(again.has_value() && *again == *checkpoint, "not the same after writing and reading");
    return 0;
}

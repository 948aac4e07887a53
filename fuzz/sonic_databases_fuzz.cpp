// Any bytes give a list of databases with their addresses, or complaints.
#include <string_view>

#include "base/assert.hpp"
#include "codec/sonic/databases.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto read = petrel::codec::read_database_config({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (!read) {
        PETREL_ASSERT(!read.error().empty(), "refused without a reason");
        return 0;
    }
    PETREL_ASSERT(!read->empty(), "nothing, without a reason");
    for (const auto& [name, entry] : *read) {
        PETREL_ASSERT(!entry.unix_socket.empty() || (!entry.host.empty() && entry.port > 0), "{} is nowhere", name);
    }
    return 0;
}

// Any bytes give a list of databases with their addresses, a list of ASICs or one address, or complaints.
#include <string_view>

#include "base/assert.hpp"
#include "codec/sonic/databases.hpp"
#include "redis/address.hpp"

namespace {

using namespace petrel;

void check_databases(std::string_view text)
{
    const auto read = codec::read_database_config(text, "fuzz");
    if (!read) {
        PETREL_ASSERT(!read.error().empty(), "refused without a reason");
        return;
    }
    PETREL_ASSERT(!read->empty(), "nothing, without a reason");
    for (const auto& [name, entry] : *read) {
        PETREL_ASSERT(!entry.unix_socket.empty() || (!entry.host.empty() && entry.port > 0), "{} is nowhere", name);
    }
}

void check_asics(std::string_view text)
{
    const auto read = codec::read_asics(text, "fuzz");
    if (!read) {
        PETREL_ASSERT(!read.error().empty(), "refused without a reason");
        return;
    }
    for (const auto& asic : *read) {
        PETREL_ASSERT(!asic.name.empty() && !asic.include.empty(), "an ASIC without a name or a file");
    }
}

void check_address(std::string_view text)
{
    const auto read = redis::parse_address(text);
    if (!read) {
        PETREL_ASSERT(!read.error().what.empty(), "refused without a reason");
        return;
    }
    const auto again = redis::parse_address(redis::to_text(*read));
    PETREL_ASSERT(again && *again == *read, "{} is another address", redis::to_text(*read));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    check_databases(text);
    check_asics(text);
    check_address(text);
    return 0;
}

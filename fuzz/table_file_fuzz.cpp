// Any bytes give tables or an error. Tables that are written and read again are the same.
#include <string_view>

#include "base/assert.hpp"
#include "codec/sonic/table_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel;
    const auto read = codec::read_table_file({reinterpret_cast<const char*>(data), size}, "tables.json");
    if (!read) {
        PETREL_ASSERT(!read.error().what.empty(), "refused without a reason");
        return 0;
    }
    const auto again = codec::read_table_file(codec::table_file_text(*read), "tables.json");
    PETREL_ASSERT(again.has_value() && *again == *read, "not the same after writing and reading");
    return 0;
}

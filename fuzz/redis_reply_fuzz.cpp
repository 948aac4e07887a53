// Any bytes from a Redis server are passed on, cut or refused, with the same result for pieces of any size. hiredis
// never gets a text or a list that is longer than the limits.
#include <charconv>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "redis/reply_limiter.hpp"

namespace {

using petrel::Result;
using petrel::redis::ReplyLimiter;

Result<std::string> passed_of(std::string_view bytes, std::size_t piece)
{
    ReplyLimiter limiter;
    std::string passed;
    while (!bytes.empty()) {
        if (auto done = limiter.pass(bytes.substr(0, piece), passed); !done) {
            return tl::unexpected(done.error());
        }
        bytes.remove_prefix(std::min(piece, bytes.size()));
    }
    return passed;
}

}  // namespace

// The first byte sets the size of the pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    const auto whole = passed_of(bytes, bytes.size() + 1);
    const auto pieces = passed_of(bytes, data[0] + 1U);
    PETREL_ASSERT(whole.has_value() == pieces.has_value(), "refused in pieces only, or as a whole only");
    if (!whole) {
        PETREL_ASSERT(!whole.error().what.empty(), "refused without a reason");
        return 0;
    }
    PETREL_ASSERT(*whole == *pieces, "pieces matter");
    PETREL_ASSERT(whole->size() <= bytes.size(), "more comes out than went in");
    return 0;
}

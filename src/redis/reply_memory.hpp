// The memory for the replies of one connection: one block that is reused for each of them. By default hiredis allocates
// and frees every element separately, which takes most of the time of a poll.
#pragma once

#include <hiredis/hiredis.h>

#include <array>
#include <cstddef>
#include <memory_resource>

namespace petrel::redis {

class ReplyMemory {
public:
    // Makes the reader allocate its replies here. The reader must not outlive this object.
    void serve(redisReader&);

    // Call when no reply is in use and none is being received.
    void clear() { pool_.release(); }

private:
    struct Make;

    static constexpr std::size_t kUsual = 16UL * 1024;
    alignas(std::max_align_t) std::array<std::byte, kUsual> usual_;
    std::pmr::monotonic_buffer_resource pool_{usual_.data(), usual_.size()};
};

}  // namespace petrel::redis

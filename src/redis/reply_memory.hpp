// Where the replies of one connection lie while they are looked at: one piece of memory that is used again for each of
// them. hiredis would allocate and free every element by itself, which takes most of the time of a poll.
#pragma once

#include <hiredis/hiredis.h>

#include <array>
#include <cstddef>
#include <memory_resource>

namespace petrel::redis {

class ReplyMemory {
public:
    // The reader makes its replies here from now on. It does not outlive this.
    void serve(redisReader&);

    // No reply is looked at any more, and none is under way.
    void clear() { pool_.release(); }

private:
    struct Make;

    static constexpr std::size_t kUsual = 16UL * 1024;
    alignas(std::max_align_t) std::array<std::byte, kUsual> usual_;
    std::pmr::monotonic_buffer_resource pool_{usual_.data(), usual_.size()};
};

}  // namespace petrel::redis

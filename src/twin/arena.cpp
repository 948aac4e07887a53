#include "twin/arena.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace petrel::twin {

namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20U;
}

Arena::~Arena()
{
    for (auto piece : pieces_)
        munmap(piece.data(), piece.size());
}

void* Arena::take(std::size_t bytes)
{
    const std::lock_guard lock{mutex_};
    bytes = (bytes + kLine - 1) / kLine * kLine;
    if (pieces_.empty() || pieces_.back().size() - used_ < bytes) {
        const std::size_t size = (std::max(bytes, kHugePage) + kHugePage - 1) / kHugePage * kHugePage;
        void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            throw std::bad_alloc{};
        madvise(at, size, MADV_HUGEPAGE);  // a hint: without huge pages the run is only slower
        pieces_.emplace_back(static_cast<std::byte*>(at), size);
        used_ = 0;
    }
    void* taken = pieces_.back().data() + used_;
    used_ += bytes;
    return taken;
}

}  // namespace petrel::twin

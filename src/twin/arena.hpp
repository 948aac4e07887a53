// Memory of the simulated fabric: allocated in large pieces, on huge pages if the kernel offers them (this saves a
// tenth of the run time on large fabrics), and freed all at once. Nothing is allocated per packet. A ring that grows
// does not free its old memory, which at most doubles its size.
#pragma once

#include <cstddef>
#include <mutex>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace petrel::twin {

class Arena {
public:
    Arena() = default;
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // Value-initialised and cache-line aligned. May be called from any thread, because rings grow while nodes run.
    template <class T>
    std::span<T> make(std::size_t count)
    {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kLine);
        auto* first = static_cast<T*>(take(sizeof(T) * count));
        for (std::size_t i = 0; i != count; ++i)
            new (first + i) T{};
        return {first, count};
    }

private:
    static constexpr std::size_t kLine = 64;

    void* take(std::size_t bytes);

    std::mutex mutex_;
    std::vector<std::span<std::byte>> pieces_;
    std::size_t used_{};  // of the last piece
};

}  // namespace petrel::twin

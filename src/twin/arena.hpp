// Memory of the simulated fabric: taken in large pieces, on huge pages where the kernel has them (a tenth of the run
// time on large fabrics), given back all at once. Nothing is allocated per packet; rings that grow leave their old
// space behind, which at most doubles them.
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

    // Value-initialised and cache-line aligned. From any thread: rings grow while nodes run.
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

// Memory for columns: one zeroed allocation. Every column begins on a cache line and is padded to whole cache lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace petrel {

inline constexpr std::size_t kCacheLine = 64;

class AlignedColumns {
public:
    AlignedColumns() = default;
    explicit AlignedColumns(std::size_t bytes)
        : memory_(static_cast<std::byte*>(::operator new(padded(bytes), std::align_val_t{kCacheLine}))),
          size_(padded(bytes))
    {
        std::fill_n(memory_.get(), size_, std::byte{});
    }

    static constexpr std::size_t padded(std::size_t bytes)
    {
        return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    }

    template <class T>
    static constexpr std::size_t bytes_for(std::size_t rows)
    {
        return padded(rows * sizeof(T));
    }

    // The next column of `rows` values. The caller must not take more columns than it allocated memory for.
    template <class T>
    std::span<T> take(std::size_t rows)
    {
        auto* first = reinterpret_cast<T*>(memory_.get() + used_);
        used_ += bytes_for<T>(rows);
        return {first, rows};
    }

private:
    struct Free {
        void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{kCacheLine}); }
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::size_t size_{};
    std::size_t used_{};
};

}  // namespace petrel

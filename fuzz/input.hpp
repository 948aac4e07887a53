// The bytes of one run of a fuzz target, taken value by value. Missing bytes are zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace petrel::fuzz {

class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

    bool empty() const { return left_ == 0; }
    template <class T>
    T take()
    {
        T value{};
        const auto size = std::min(sizeof(T), left_);
        std::memcpy(&value, data_, size);
        data_ += size;
        left_ -= size;
        return value;
    }

private:
    const std::uint8_t* data_;
    std::size_t left_;
};

}  // namespace petrel::fuzz

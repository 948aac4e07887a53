// The buffers of a switch as its hardware shows them. A device gives pools and profiles their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace petrel::device {

struct BufferPool {
    std::string name;
    bool ingress{};
    bool dynamic{};                       // thresholds are shares of the free space
    std::uint64_t size{};                 // bytes
    std::optional<std::uint64_t> xoff{};  // bytes of shared headroom; none: the pool has none
    bool operator==(const BufferPool&) const = default;
};

struct BufferProfile {
    std::string name;
    std::string pool{};                        // its name; empty: not known
    std::uint64_t reserved{};                  // bytes
    std::optional<int> dynamic_th{};           // n of alpha = 2^n; none: the threshold is not dynamic
    std::optional<std::uint64_t> static_th{};  // bytes; none: the threshold is not static
    std::optional<std::uint64_t> xoff{};       // bytes; only lossless profiles have it
    std::optional<std::uint64_t> xon{};
    bool operator==(const BufferProfile&) const = default;
};

struct Buffers {
    std::vector<BufferPool> pools;
    std::vector<BufferProfile> profiles;
    bool operator==(const Buffers&) const = default;
};

}  // namespace petrel::device

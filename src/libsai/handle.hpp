// The content of an object id: the type, the switch and a number. It is opaque to callers. A made-up id is recognised,
// and a number that was never assigned is found to be missing.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.hpp"
#include "sai/ids.hpp"

namespace petrel::libsai {

struct Handle {
    sai::ObjectType type{};
    std::uint8_t switch_number{};
    std::uint32_t number{};  // of a queue or group: port * 8 + index

    std::uint8_t port() const
    {
        return static_cast<std::uint8_t>(type == sai::ObjectType::port ? number : number / kPriorities);
    }
    std::uint8_t index() const { return static_cast<std::uint8_t>(number % kPriorities); }
};

inline constexpr std::uint64_t kOurs = 0x5a;

constexpr sai::ObjectId to_id(const Handle& handle)
{
    return kOurs << 56U | static_cast<std::uint64_t>(handle.type) << 48U | std::uint64_t{handle.switch_number} << 40U |
           handle.number;
}

constexpr std::optional<Handle> to_handle(sai::ObjectId id)
{
    const Handle handle{static_cast<sai::ObjectType>(id >> 48U & 0xffU), static_cast<std::uint8_t>(id >> 40U & 0xffU),
                        static_cast<std::uint32_t>(id)};
    if (to_id(handle) != id) {
        return std::nullopt;
    }
    return handle;
}

}  // namespace petrel::libsai

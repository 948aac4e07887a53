// Attributes as data: the attributes of each object type, and how they are read and written. One loop (attributes.cpp)
// serves all of them, and the capability queries use the same tables.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "libsai/handle.hpp"
#include "libsai/switch.hpp"
#include "sai/api.hpp"

namespace petrel::libsai {

// The object that a call is about, at the present time.
struct Place {
    Switch& device;
    Handle at;
    Ps now{};

    SwitchView view() const { return device.view(); }
    Port& port() const { return device.ports[at.port()]; }
    Queue& queue() const { return port().queues[at.index()]; }
};

struct Row {
    enum class Use : std::uint8_t { read_only, on_create, create_only, create_and_set };  // on_create: mandatory

    sai::AttrId id{};
    Use use{};
    sai::Status (*get)(const Place&, sai::Value&){};
    sai::Status (*set)(const Place&, const sai::Value&){};
    std::span<const std::int32_t> values{};  // of an enumeration: the supported values
};

// Empty for a type that the library does not support.
std::span<const Row> rows_of(sai::ObjectType);
std::span<const Row> switch_rows();
std::span<const Row> port_rows();
std::span<const Row> queue_rows();
std::span<const Row> group_rows();
std::span<const Row> pool_rows();
std::span<const Row> profile_rows();
std::span<const Row> qos_map_rows();

// Stops at the first failing attribute; the status contains its position.
sai::Status get_attributes(const Place&, std::span<sai::Attribute>);
sai::Status set_attribute(const Place&, const sai::Attribute&);
// Checks that all mandatory attributes are given, and no others than allowed.
sai::Status check_creation(sai::ObjectType, std::span<const sai::Attribute>);
// Call after check_creation.
sai::Status create_with(const Place&, std::span<const sai::Attribute>);

// ---- for the rows

// Copies into the caller's list, as far as it has space.
template <class T, class From>
sai::Status put(sai::List<T>& into, const From& from)
{
    const auto room = into.count;
    const auto size = static_cast<std::uint32_t>(from.size());
    if (room != 0 && into.list == nullptr) {
        return sai::status::invalid_parameter;
    }
    into.count = size;
    if (size > room) {
        return sai::status::buffer_overflow;
    }
    std::copy(from.begin(), from.end(), into.list);
    return sai::status::success;
}

// Any byte but zero is true: a caller in another language may store other values than 0 and 1.
inline bool flag(const sai::Value& value) { return value.u8 != 0; }

inline bool contains_value(std::span<const std::int32_t> values, std::int32_t value)
{
    return std::find(values.begin(), values.end(), value) != values.end();
}

inline constexpr sai::Status kBadValue = sai::status::invalid_attr_value_0;

// What happens to the packets of a queue in recovery.
inline constexpr std::array kPacketActions{static_cast<std::int32_t>(sai::PacketAction::drop),
                                           static_cast<std::int32_t>(sai::PacketAction::forward)};

// The port of a queue or priority group, and its index on that port.
sai::Status get_port(const Place&, sai::Value&);
sai::Status get_index(const Place&, sai::Value&);

// Maps of intervals: from traffic class to milliseconds.
sai::Status get_interval_range(const Place&, sai::Value&);
sai::Status get_intervals(const PerClass&, sai::Value&);
sai::Status set_intervals(PerClass&, const sai::Value&);

}  // namespace petrel::libsai

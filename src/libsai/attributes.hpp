// Attributes as data: what each type of object has, how it is read and written. One loop serves them all
// (attributes.cpp), and so do the capability queries.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "libsai/handle.hpp"
#include "libsai/switch.hpp"
#include "sai/api.hpp"

namespace petrel::libsai {

// The object that is meant, at the present.
struct Place {
    Switch& device;
    Handle at;
    Ps now{};

    SwitchView view() const { return device.view(); }
    Port& port() const { return device.ports[at.port()]; }
    Queue& queue() const { return port().queues[at.index()]; }
};

struct Row {
    enum class Use : std::uint8_t { read_only, on_create, create_only, create_and_set };  // on_create: has to be given

    sai::AttrId id{};
    Use use{};
    sai::Status (*get)(const Place&, sai::Value&){};
    sai::Status (*set)(const Place&, const sai::Value&){};
    std::span<const std::int32_t> words{};  // of an enumeration: those that are there
};

// Empty for a type that the library does not have.
std::span<const Row> rows_of(sai::ObjectType);
std::span<const Row> switch_rows();
std::span<const Row> port_rows();
std::span<const Row> queue_rows();
std::span<const Row> group_rows();
std::span<const Row> pool_rows();
std::span<const Row> profile_rows();
std::span<const Row> qos_map_rows();

// Stops at the first that fails; the status tells which.
sai::Status get_attributes(const Place&, std::span<sai::Attribute>);
sai::Status set_attribute(const Place&, const sai::Attribute&);
// All that have to be given are there, and only what may be.
sai::Status check_creation(sai::ObjectType, std::span<const sai::Attribute>);
// After check_creation.
sai::Status create_with(const Place&, std::span<const sai::Attribute>);

// ---- for the rows

// Into a list of the caller's, as far as it has room.
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

// Any byte but zero is true: what a caller of another language puts there need not be a bool.
inline bool flag(const sai::Value& value) { return value.u8 != 0; }

inline bool has_word(std::span<const std::int32_t> words, std::int32_t word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

inline constexpr sai::Status kBadValue = sai::status::invalid_attr_value_0;

// What becomes of the packets of a queue in recovery.
inline constexpr std::array kPacketActions{static_cast<std::int32_t>(sai::PacketAction::drop),
                                           static_cast<std::int32_t>(sai::PacketAction::forward)};

// Of a queue or a priority group: the port it is on, and its index there.
sai::Status get_port(const Place&, sai::Value&);
sai::Status get_index(const Place&, sai::Value&);

// Maps of intervals, traffic class to milliseconds.
sai::Status get_interval_range(const Place&, sai::Value&);
sai::Status get_intervals(const PerClass&, sai::Value&);
sai::Status set_intervals(PerClass&, const sai::Value&);

}  // namespace petrel::libsai

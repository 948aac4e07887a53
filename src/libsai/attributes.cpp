#include "libsai/attributes.hpp"

namespace petrel::libsai {

using sai::Attribute;
using sai::Status;
using Use = Row::Use;
namespace status = sai::status;

namespace {

const Row* find(std::span<const Row> rows, sai::AttrId id)
{
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; });
    return found == rows.end() ? nullptr : &*found;
}

// The first id that version 1.18.1 does not define: all ids below it are attributes of the type.
sai::AttrId end_of(sai::ObjectType type)
{
    using sai::ObjectType;
    switch (type) {
    case ObjectType::switch_: return 276;
    case ObjectType::port: return 203;
    case ObjectType::queue: return 15;
    case ObjectType::ingress_priority_group: return 6;
    case ObjectType::buffer_pool:
    case ObjectType::buffer_profile: return 9;
    case ObjectType::qos_map: return 2;
    case ObjectType::null: break;
    }
    return 0;
}

Status missing(sai::ObjectType type, sai::AttrId id)
{
    return id < end_of(type) ? status::attr_not_supported_0 : status::unknown_attribute_0;
}

// Status codes about an attribute include its position.
Status at_position(Status status, std::size_t position)
{
    const bool about_attribute = status <= status::invalid_attribute_0 && status >= status::attr_not_supported_max;
    constexpr std::size_t kMost = 0xffff;
    return about_attribute ? status - static_cast<Status>(std::min(position, kMost)) : status;
}

Status set_row(const Row& row, const Place& place, const Attribute& attribute)
{
    if (!row.values.empty() && !contains_value(row.values, attribute.value.s32)) {
        return kBadValue;
    }
    return row.set == nullptr ? status::success : row.set(place, attribute.value);
}

}  // namespace

std::span<const Row> rows_of(sai::ObjectType type)
{
    using sai::ObjectType;
    switch (type) {
    case ObjectType::switch_: return switch_rows();
    case ObjectType::port: return port_rows();
    case ObjectType::queue: return queue_rows();
    case ObjectType::ingress_priority_group: return group_rows();
    case ObjectType::buffer_pool: return pool_rows();
    case ObjectType::buffer_profile: return profile_rows();
    case ObjectType::qos_map: return qos_map_rows();
    case ObjectType::null: break;
    }
    return {};
}

Status get_attributes(const Place& place, std::span<Attribute> attributes)
{
    const auto rows = rows_of(place.at.type);
    for (std::size_t i = 0; i != attributes.size(); ++i) {
        const auto* row = find(rows, attributes[i].id);
        const auto status = row == nullptr        ? missing(place.at.type, attributes[i].id)
                            : row->get == nullptr ? status::attr_not_supported_0
                                                  : row->get(place, attributes[i].value);
        if (status != status::success) {
            return at_position(status, i);
        }
    }
    return status::success;
}

Status set_attribute(const Place& place, const Attribute& attribute)
{
    const auto* row = find(rows_of(place.at.type), attribute.id);
    if (row == nullptr) {
        return missing(place.at.type, attribute.id);
    }
    return row->use == Use::create_and_set ? set_row(*row, place, attribute) : status::invalid_attribute_0;
}

Status check_creation(sai::ObjectType type, std::span<const Attribute> attributes)
{
    const auto rows = rows_of(type);
    for (std::size_t i = 0; i != attributes.size(); ++i) {
        const auto* row = find(rows, attributes[i].id);
        if (row == nullptr || row->use == Use::read_only) {
            return at_position(row == nullptr ? missing(type, attributes[i].id) : status::invalid_attribute_0, i);
        }
    }
    const bool complete = std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
        return row.use != Use::on_create || std::any_of(attributes.begin(), attributes.end(),
                                                        [&](const Attribute& given) { return given.id == row.id; });
    });
    return complete ? status::success : Status{status::mandatory_attribute_missing};
}

Status create_with(const Place& place, std::span<const Attribute> attributes)
{
    const auto rows = rows_of(place.at.type);
    for (std::size_t i = 0; i != attributes.size(); ++i) {
        if (const auto status = set_row(*find(rows, attributes[i].id), place, attributes[i]);
            status != status::success) {
            return at_position(status, i);
        }
    }
    return status::success;
}

Status get_port(const Place& p, sai::Value& value)
{
    value.oid = p.device.id_of(sai::ObjectType::port, p.at.port());
    return status::success;
}

Status get_index(const Place& p, sai::Value& value)
{
    value.u8 = p.at.index();
    return status::success;
}

Status get_interval_range(const Place&, sai::Value& value)
{
    value.u32range = kIntervals_ms;
    return status::success;
}

Status get_intervals(const PerClass& intervals_ms, sai::Value& value)
{
    std::vector<sai::MapEntry> entries;
    for (std::uint8_t tc = 0; tc != kPriorities; ++tc) {
        if (intervals_ms[tc] != 0) {
            entries.push_back({tc, static_cast<std::int32_t>(intervals_ms[tc])});
        }
    }
    return put(value.maplist, entries);
}

// Sets the whole map or nothing.
Status set_intervals(PerClass& intervals_ms, const sai::Value& value)
{
    const auto& given = value.maplist;
    if (given.count > kPriorities) {
        return kBadValue;
    }
    if (given.count != 0 && given.list == nullptr) {
        return status::invalid_parameter;
    }
    PerClass wanted_ms{};
    for (const auto& entry : std::span{given.list, given.count}) {
        if (entry.key >= kPriorities || entry.value < static_cast<std::int32_t>(kIntervals_ms.min) ||
            entry.value > static_cast<std::int32_t>(kIntervals_ms.max)) {
            return kBadValue;
        }
        if (wanted_ms[entry.key] != 0) {
            return status::invalid_parameter;  // two intervals for one traffic class
        }
        wanted_ms[entry.key] = programmable_ms(static_cast<std::uint32_t>(entry.value));
    }
    intervals_ms = wanted_ms;
    return status::success;
}

}  // namespace petrel::libsai

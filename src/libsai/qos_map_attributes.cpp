// The attributes of QoS maps.
#include <array>

#include "libsai/attributes.hpp"

namespace petrel::libsai {

using sai::QosMapType;
using sai::Status;
using sai::Value;
using Use = Row::Use;
namespace qos_map_attr = sai::qos_map_attr;
namespace status = sai::status;

namespace {

constexpr std::array kMapTypes{static_cast<std::int32_t>(QosMapType::tc_to_queue),
                               static_cast<std::int32_t>(QosMapType::tc_to_priority_group),
                               static_cast<std::int32_t>(QosMapType::pfc_priority_to_priority_group),
                               static_cast<std::int32_t>(QosMapType::pfc_priority_to_queue)};

QosMap& map(const Place& p) { return p.device.qos_maps.at(p.at.number); }

Status get_map_type(const Place& p, Value& value)
{
    value.s32 = static_cast<std::int32_t>(map(p).type);
    return status::success;
}

Status set_map_type(const Place& p, const Value& value)
{
    map(p).type = static_cast<QosMapType>(value.s32);
    return status::success;
}

Status get_entries(const Place& p, Value& value) { return put(value.qosmap, map(p).entries); }

Status set_entries(const Place& p, const Value& value)
{
    const auto& given = value.qosmap;
    if (given.count > kPriorities) {
        return kBadValue;
    }
    if (given.count != 0 && given.list == nullptr) {
        return status::invalid_parameter;
    }
    map(p).entries.assign(given.list, given.list + given.count);
    return status::success;
}

constexpr Row kMapRows[] = {
    {qos_map_attr::type, Use::on_create, get_map_type, set_map_type, kMapTypes},
    {qos_map_attr::map_to_value_list, Use::on_create, get_entries, set_entries},
};

}  // namespace

std::span<const Row> qos_map_rows() { return kMapRows; }

}  // namespace petrel::libsai

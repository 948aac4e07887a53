// The attributes of QoS maps.
#include <array>

#include "libsai/attributes.hpp"

namespace petrel::libsai {

using sai::QosMapType;
using sai::Status;
using sai::Value;
using Use = Row::Use;
namespace attr = sai::qos_map_attr;
namespace status = sai::status;

namespace {

constexpr std::array kTypes{static_cast<std::int32_t>(QosMapType::tc_to_queue),
                            static_cast<std::int32_t>(QosMapType::tc_to_priority_group),
                            static_cast<std::int32_t>(QosMapType::pfc_priority_to_priority_group),
                            static_cast<std::int32_t>(QosMapType::pfc_priority_to_queue)};

QosMap& map(const Place& p) { return p.device.qos_maps.at(p.at.number); }

Status get_type(const Place& p, Value& value)
{
    value.s32 = static_cast<std::int32_t>(map(p).type);
    return status::success;
}

Status set_type(const Place& p, const Value& value)
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

constexpr Row kRows[] = {
    {attr::type, Use::on_create, get_type, set_type, kTypes},
    {attr::map_to_value_list, Use::on_create, get_entries, set_entries},
};

}  // namespace

std::span<const Row> qos_map_rows() { return kRows; }

}  // namespace petrel::libsai

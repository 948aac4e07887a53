// The attributes of a port.
#include <array>

#include "libsai/attributes.hpp"

namespace petrel::libsai {

using sai::QosMapType;
using sai::Status;
using sai::Value;
using Use = Row::Use;
namespace port_attr = sai::port_attr;
namespace status = sai::status;

namespace {

constexpr std::array kPfcModes{static_cast<std::int32_t>(sai::PfcMode::combined),
                               static_cast<std::int32_t>(sai::PfcMode::separate)};
constexpr std::uint64_t kMbit = 1'000'000;

Status get_port_type(const Place&, Value& value)
{
    value.s32 = static_cast<std::int32_t>(sai::PortType::logical);
    return status::success;
}

Status get_oper_status(const Place& p, Value& value)
{
    value.s32 = static_cast<std::int32_t>(p.view().link_up(p.at.port()) ? sai::OperStatus::up : sai::OperStatus::down);
    return status::success;
}

Status get_error_status(const Place& p, Value& value)
{
    value.u32 = p.device.error_bits(p.at.port(), p.now);
    return status::success;
}

Status get_eight(const Place&, Value& value)
{
    value.u32 = kPriorities;
    return status::success;
}

template <sai::ObjectType type>
Status get_list(const Place& p, Value& value)
{
    std::array<sai::ObjectId, kPriorities> ids{};
    for (std::uint32_t i = 0; i != kPriorities; ++i) {
        ids[i] = p.device.id_of(type, p.at.number * kPriorities + i);
    }
    return put(value.objlist, ids);
}

Status get_speed(const Place& p, Value& value)
{
    value.u32 = static_cast<std::uint32_t>(p.view().speed_bps(p.at.port()) / kMbit);
    return status::success;
}

// Four lanes per port, numbered from one, as on front panels.
Status get_lanes(const Place& p, Value& value)
{
    const auto first = 4 * p.at.number + 1;
    return put(value.u32list, std::array{first, first + 1, first + 2, first + 3});
}

// The twin also switches a port off for other reasons, which ERROR_STATUS shows.
Status get_admin_state(const Place& p, Value& value)
{
    value.booldata = p.view().registers(p.at.port()).enabled || !p.port().disabled;
    return status::success;
}

Status set_admin_state(const Place& p, const Value& value)
{
    auto wanted = p.view().registers(p.at.port());
    wanted.enabled = flag(value);
    p.port().disabled = !wanted.enabled;
    p.view().write(p.at.port(), wanted, p.now);
    return status::success;
}

Status get_mtu(const Place& p, Value& value)
{
    value.u32 = p.view().registers(p.at.port()).max_frame_bytes;
    return status::success;
}

Status set_mtu(const Place& p, const Value& value)
{
    constexpr std::uint32_t kSmallest = 64;
    if (value.u32 < kSmallest || value.u32 > p.view().profile().max_frame_bytes) {
        return kBadValue;
    }
    auto wanted = p.view().registers(p.at.port());
    wanted.max_frame_bytes = static_cast<std::uint16_t>(value.u32);
    p.view().write(p.at.port(), wanted, p.now);
    return status::success;
}

template <QosMapType type>
Status get_map(const Place& p, Value& value)
{
    value.oid = p.device.id_of(sai::ObjectType::qos_map, p.port().maps[type]);
    return status::success;
}

template <QosMapType type>
Status set_map(const Place& p, const Value& value)
{
    const auto handle = to_handle(value.oid);
    if (!handle || handle->type != sai::ObjectType::qos_map || handle->switch_number != p.at.switch_number) {
        return kBadValue;
    }
    const auto map = p.device.qos_maps.find(handle->number);
    if (map == p.device.qos_maps.end() || map->second.type != type || !p.device.holds(map->second)) {
        return kBadValue;
    }
    p.port().maps[type] = handle->number;
    return status::success;
}

Status get_pfc_mode(const Place& p, Value& value)
{
    value.s32 = static_cast<std::int32_t>(p.port().mode);
    return status::success;
}

Status set_pfc_mode(const Place& p, const Value& value)
{
    p.port().mode = static_cast<sai::PfcMode>(value.s32);
    p.device.program_port(p.at.port(), p.now);
    return status::success;
}

template <std::uint8_t Port::* mask>
Status get_mask(const Place& p, Value& value)
{
    value.u8 = p.port().*mask;
    return status::success;
}

template <std::uint8_t Port::* mask>
Status set_mask(const Place& p, const Value& value)
{
    p.port().*mask = value.u8;
    p.device.program_port(p.at.port(), p.now);
    return status::success;
}

template <PerClass Intervals::* which>
Status get_interval_map(const Place& p, Value& value)
{
    return get_intervals(p.port().intervals.*which, value);
}

template <PerClass Intervals::* which>
Status set_interval_map(const Place& p, const Value& value)
{
    const auto status = set_intervals(p.port().intervals.*which, value);
    p.device.program_detectors(p.at.port(), p.now);
    return status;
}

constexpr auto kToQueue = QosMapType::pfc_priority_to_queue;
constexpr auto kToGroup = QosMapType::pfc_priority_to_priority_group;
constexpr auto kClassToQueue = QosMapType::tc_to_queue;
constexpr auto kClassToGroup = QosMapType::tc_to_priority_group;

constexpr Row kPortRows[] = {
    {port_attr::type, Use::read_only, get_port_type},
    {port_attr::oper_status, Use::read_only, get_oper_status},
    {port_attr::error_status, Use::read_only, get_error_status},
    {port_attr::qos_number_of_queues, Use::read_only, get_eight},
    {port_attr::qos_queue_list, Use::read_only, get_list<sai::ObjectType::queue>},
    {port_attr::number_of_ingress_priority_groups, Use::read_only, get_eight},
    {port_attr::ingress_priority_group_list, Use::read_only, get_list<sai::ObjectType::ingress_priority_group>},
    {port_attr::oper_speed, Use::read_only, get_speed},
    {port_attr::hw_lane_list, Use::read_only, get_lanes},
    {port_attr::speed, Use::read_only, get_speed},
    {port_attr::admin_state, Use::create_and_set, get_admin_state, set_admin_state},
    {port_attr::mtu, Use::create_and_set, get_mtu, set_mtu},
    {port_attr::qos_tc_to_queue_map, Use::create_and_set, get_map<kClassToQueue>, set_map<kClassToQueue>},
    {port_attr::qos_tc_to_priority_group_map, Use::create_and_set, get_map<kClassToGroup>, set_map<kClassToGroup>},
    {port_attr::qos_pfc_priority_to_priority_group_map, Use::create_and_set, get_map<kToGroup>, set_map<kToGroup>},
    {port_attr::qos_pfc_priority_to_queue_map, Use::create_and_set, get_map<kToQueue>, set_map<kToQueue>},
    {port_attr::priority_flow_control_mode, Use::create_and_set, get_pfc_mode, set_pfc_mode, kPfcModes},
    {port_attr::priority_flow_control, Use::create_and_set, get_mask<&Port::pfc>, set_mask<&Port::pfc>},
    {port_attr::priority_flow_control_rx, Use::create_and_set, get_mask<&Port::pfc_rx>, set_mask<&Port::pfc_rx>},
    {port_attr::priority_flow_control_tx, Use::create_and_set, get_mask<&Port::pfc_tx>, set_mask<&Port::pfc_tx>},
    {port_attr::pfc_tc_dld_interval_range, Use::read_only, get_interval_range},
    {port_attr::pfc_tc_dld_interval, Use::create_and_set, get_interval_map<&Intervals::detect_ms>,
     set_interval_map<&Intervals::detect_ms>},
    {port_attr::pfc_tc_dlr_interval_range, Use::read_only, get_interval_range},
    {port_attr::pfc_tc_dlr_interval, Use::create_and_set, get_interval_map<&Intervals::recover_ms>,
     set_interval_map<&Intervals::recover_ms>},
};

}  // namespace

std::span<const Row> port_rows() { return kPortRows; }

}  // namespace petrel::libsai

// The attributes of a switch.
#include <bit>

#include "libsai/attributes.hpp"

namespace petrel::libsai {

using sai::Status;
using sai::Value;
using Use = Row::Use;
namespace switch_attr = sai::switch_attr;
namespace status = sai::status;

namespace {

Status get_ports(const Place& p, Value& value)
{
    std::vector<sai::ObjectId> ids;
    for (std::uint32_t port = 0; port != p.view().ports(); ++port) {
        ids.push_back(p.device.id_of(sai::ObjectType::port, port));
    }
    return put(value.objlist, ids);
}

template <std::uint32_t (*number)(const Place&)>
Status get_u32(const Place& p, Value& value)
{
    value.u32 = number(p);
    return status::success;
}

std::uint32_t port_count(const Place& p) { return p.view().ports(); }
std::uint32_t queue_count(const Place&) { return kPriorities; }
std::uint32_t none(const Place&) { return 0; }
std::uint32_t pool_count(const Place& p) { return static_cast<std::uint32_t>(p.device.pools.size()); }
std::uint32_t lossless_count(const Place& p)
{
    return static_cast<std::uint32_t>(std::popcount(unsigned{p.view().lossless()}));
}

template <PerClass Intervals::* which>
Status get_switch_intervals(const Place& p, Value& value)
{
    return get_intervals(p.device.intervals.*which, value);
}

template <PerClass Intervals::* which>
Status set_switch_intervals(const Place& p, const Value& value)
{
    const auto status = set_intervals(p.device.intervals.*which, value);
    for (std::uint8_t port = 0; port != p.view().ports(); ++port) {
        p.device.program_detectors(port, p.now);
    }
    return status;
}

Status get_switch_action(const Place& p, Value& value)
{
    value.s32 = static_cast<std::int32_t>(p.device.action);
    return status::success;
}

Status set_switch_action(const Place& p, const Value& value)
{
    p.device.action = static_cast<sai::PacketAction>(value.s32);
    for (std::uint8_t port = 0; port != p.view().ports(); ++port) {
        p.device.program_port(port, p.now);
    }
    return status::success;
}

Status get_status(const Place&, Value& value)
{
    value.s32 = static_cast<std::int32_t>(sai::SwitchStatus::up);
    return status::success;
}

Status get_classes(const Place&, Value& value)
{
    value.u8 = kPriorities;
    return status::success;
}

Status get_buffer(const Place& p, Value& value)
{
    value.u64 = p.view().profile().buffer_bytes >> 10U;  // KB
    return status::success;
}

Status get_init(const Place&, Value& value)
{
    value.booldata = true;
    return status::success;
}

template <auto Switch::* callback>
Status get_callback(const Place& p, Value& value)
{
    value.ptr = reinterpret_cast<void*>(p.device.*callback);
    return status::success;
}

template <class Callback, Callback Switch::* callback>
Status set_callback(const Place& p, const Value& value)
{
    p.device.*callback = reinterpret_cast<Callback>(value.ptr);
    return status::success;
}

constexpr Row kSwitchRows[] = {
    {switch_attr::number_of_active_ports, Use::read_only, get_u32<port_count>},
    {switch_attr::max_number_of_supported_ports, Use::read_only, get_u32<port_count>},
    {switch_attr::port_list, Use::read_only, get_ports},
    {switch_attr::number_of_unicast_queues, Use::read_only, get_u32<queue_count>},
    {switch_attr::number_of_multicast_queues, Use::read_only, get_u32<none>},
    {switch_attr::number_of_queues, Use::read_only, get_u32<queue_count>},
    {switch_attr::oper_status, Use::read_only, get_status},
    {switch_attr::qos_max_number_of_traffic_classes, Use::read_only, get_classes},
    {switch_attr::total_buffer_size, Use::read_only, get_buffer},
    {switch_attr::ingress_buffer_pool_num, Use::read_only, get_u32<pool_count>},
    {switch_attr::egress_buffer_pool_num, Use::read_only, get_u32<none>},
    {switch_attr::switch_profile_id, Use::create_only},
    {switch_attr::switch_hardware_info, Use::create_only},
    {switch_attr::init_switch, Use::on_create, get_init},
    {switch_attr::port_state_change_notify, Use::create_and_set, get_callback<&Switch::on_port_state>,
     set_callback<sai::PortStateCallback, &Switch::on_port_state>},
    {switch_attr::qos_num_lossless_queues, Use::read_only, get_u32<lossless_count>},
    {switch_attr::queue_pfc_deadlock_notify, Use::create_and_set, get_callback<&Switch::on_deadlock>,
     set_callback<sai::DeadlockCallback, &Switch::on_deadlock>},
    {switch_attr::pfc_dlr_packet_action, Use::create_and_set, get_switch_action, set_switch_action, kPacketActions},
    {switch_attr::pfc_tc_dld_interval_range, Use::read_only, get_interval_range},
    {switch_attr::pfc_tc_dld_interval, Use::create_and_set, get_switch_intervals<&Intervals::detect_ms>,
     set_switch_intervals<&Intervals::detect_ms>},
    {switch_attr::pfc_tc_dlr_interval_range, Use::read_only, get_interval_range},
    {switch_attr::pfc_tc_dlr_interval, Use::create_and_set, get_switch_intervals<&Intervals::recover_ms>,
     set_switch_intervals<&Intervals::recover_ms>},
};

}  // namespace

std::span<const Row> switch_rows() { return kSwitchRows; }

}  // namespace petrel::libsai

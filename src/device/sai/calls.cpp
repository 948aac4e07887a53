#include "device/sai/calls.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace petrel::device::sai {

namespace {

using abi::ObjectType;
using StatusName = std::pair<std::int64_t, std::string_view>;

constexpr std::array kStatuses{
    StatusName{abi::status::failure, "FAILURE"},
    StatusName{abi::status::not_supported, "NOT_SUPPORTED"},
    StatusName{abi::status::no_memory, "NO_MEMORY"},
    StatusName{abi::status::insufficient_resources, "INSUFFICIENT_RESOURCES"},
    StatusName{abi::status::invalid_parameter, "INVALID_PARAMETER"},
    StatusName{abi::status::item_already_exists, "ITEM_ALREADY_EXISTS"},
    StatusName{abi::status::item_not_found, "ITEM_NOT_FOUND"},
    StatusName{abi::status::buffer_overflow, "BUFFER_OVERFLOW"},
    StatusName{abi::status::uninitialized, "UNINITIALIZED"},
    StatusName{abi::status::table_full, "TABLE_FULL"},
    StatusName{abi::status::mandatory_attribute_missing, "MANDATORY_ATTRIBUTE_MISSING"},
    StatusName{abi::status::not_implemented, "NOT_IMPLEMENTED"},
    StatusName{abi::status::object_in_use, "OBJECT_IN_USE"},
    StatusName{abi::status::invalid_object_type, "INVALID_OBJECT_TYPE"},
    StatusName{abi::status::invalid_object_id, "INVALID_OBJECT_ID"},
    StatusName{abi::status::not_executed, "NOT_EXECUTED"},
};

// Status codes that include the index of an attribute: the first code of each range.
constexpr std::array kIndexed{
    StatusName{abi::status::invalid_attribute_0, "INVALID_ATTRIBUTE"},
    StatusName{abi::status::invalid_attr_value_0, "INVALID_ATTR_VALUE"},
    StatusName{abi::status::attr_not_implemented_0, "ATTR_NOT_IMPLEMENTED"},
    StatusName{abi::status::unknown_attribute_0, "UNKNOWN_ATTRIBUTE"},
    StatusName{abi::status::attr_not_supported_0, "ATTR_NOT_SUPPORTED"},
};
constexpr std::int64_t kPositions = 0x10000;

struct AttributeName {
    ObjectType type;
    abi::AttrId id;
    std::string_view text;
};

constexpr std::array kAttributes{
    AttributeName{ObjectType::switch_, abi::switch_attr::port_list, "PORT_LIST"},
    AttributeName{ObjectType::switch_, abi::switch_attr::port_state_change_notify, "PORT_STATE_CHANGE_NOTIFY"},
    AttributeName{ObjectType::switch_, abi::switch_attr::queue_pfc_deadlock_notify, "QUEUE_PFC_DEADLOCK_NOTIFY"},
    AttributeName{ObjectType::switch_, abi::switch_attr::pfc_dlr_packet_action, "PFC_DLR_PACKET_ACTION"},
    AttributeName{ObjectType::switch_, abi::switch_attr::pfc_tc_dld_interval_range, "PFC_TC_DLD_INTERVAL_RANGE"},
    AttributeName{ObjectType::switch_, abi::switch_attr::pfc_tc_dld_interval, "PFC_TC_DLD_INTERVAL"},
    AttributeName{ObjectType::switch_, abi::switch_attr::pfc_tc_dlr_interval_range, "PFC_TC_DLR_INTERVAL_RANGE"},
    AttributeName{ObjectType::switch_, abi::switch_attr::pfc_tc_dlr_interval, "PFC_TC_DLR_INTERVAL"},
    AttributeName{ObjectType::port, abi::port_attr::oper_status, "OPER_STATUS"},
    AttributeName{ObjectType::port, abi::port_attr::oper_speed, "OPER_SPEED"},
    AttributeName{ObjectType::port, abi::port_attr::speed, "SPEED"},
    AttributeName{ObjectType::port, abi::port_attr::qos_queue_list, "QOS_QUEUE_LIST"},
    AttributeName{ObjectType::port, abi::port_attr::ingress_priority_group_list, "INGRESS_PRIORITY_GROUP_LIST"},
    AttributeName{ObjectType::port, abi::port_attr::priority_flow_control_mode, "PRIORITY_FLOW_CONTROL_MODE"},
    AttributeName{ObjectType::port, abi::port_attr::priority_flow_control, "PRIORITY_FLOW_CONTROL"},
    AttributeName{ObjectType::port, abi::port_attr::priority_flow_control_rx, "PRIORITY_FLOW_CONTROL_RX"},
    AttributeName{ObjectType::port, abi::port_attr::pfc_tc_dld_interval_range, "PFC_TC_DLD_INTERVAL_RANGE"},
    AttributeName{ObjectType::port, abi::port_attr::pfc_tc_dld_interval, "PFC_TC_DLD_INTERVAL"},
    AttributeName{ObjectType::port, abi::port_attr::pfc_tc_dlr_interval_range, "PFC_TC_DLR_INTERVAL_RANGE"},
    AttributeName{ObjectType::port, abi::port_attr::pfc_tc_dlr_interval, "PFC_TC_DLR_INTERVAL"},
    AttributeName{ObjectType::queue, abi::queue_attr::index, "INDEX"},
    AttributeName{ObjectType::queue, abi::queue_attr::pause_status, "PAUSE_STATUS"},
    AttributeName{ObjectType::queue, abi::queue_attr::enable_pfc_dldr, "ENABLE_PFC_DLDR"},
    AttributeName{ObjectType::queue, abi::queue_attr::pfc_dlr_init, "PFC_DLR_INIT"},
    AttributeName{ObjectType::queue, abi::queue_attr::pfc_dlr_packet_action, "PFC_DLR_PACKET_ACTION"},
    AttributeName{ObjectType::queue, abi::queue_attr::pfc_continuous_deadlock_state, "PFC_CONTINUOUS_DEADLOCK_STATE"},
    AttributeName{ObjectType::ingress_priority_group, abi::group_attr::buffer_profile, "BUFFER_PROFILE"},
    AttributeName{ObjectType::ingress_priority_group, abi::group_attr::index, "INDEX"},
    AttributeName{ObjectType::buffer_profile, abi::profile_attr::shared_dynamic_th, "SHARED_DYNAMIC_TH"},
    AttributeName{ObjectType::qos_map, abi::qos_map_attr::map_to_value_list, "MAP_TO_VALUE_LIST"},
};

std::string_view kind_text(ObjectType type)
{
    switch (type) {
    case ObjectType::switch_: return "the switch";
    case ObjectType::port: return "a port";
    case ObjectType::queue: return "a queue";
    case ObjectType::ingress_priority_group: return "a priority group";
    case ObjectType::buffer_pool: return "a buffer pool";
    case ObjectType::buffer_profile: return "a buffer profile";
    case ObjectType::qos_map: return "a QoS map";
    case ObjectType::null: break;
    }
    return "an object";
}

ErrorKind kind_of(abi::Status status)
{
    const bool indexed = status <= abi::status::invalid_attribute_0;
    const bool bad_value = status <= abi::status::invalid_attr_value_0 && status > abi::status::attr_not_implemented_0;
    if (status == abi::status::not_supported || status == abi::status::not_implemented || (indexed && !bad_value)) {
        return ErrorKind::unsupported;
    }
    return bad_value || status == abi::status::invalid_parameter ? ErrorKind::invalid : ErrorKind::unreachable;
}

}  // namespace

std::string status_text(abi::Status status)
{
    for (const auto& [number, text] : kStatuses) {
        if (number == status) {
            return fmt::format("{} ({})", text, status);
        }
    }
    for (const auto& [first, text] : kIndexed) {
        if (status <= first && status > first - kPositions) {
            return fmt::format("{} ({})", text, status);
        }
    }
    return fmt::format("status {}", status);
}

std::string attribute_text(ObjectType type, abi::AttrId id)
{
    for (const auto& known : kAttributes) {
        if (known.type == type && known.id == id) {
            return std::string{known.text};
        }
    }
    return fmt::format("attribute {}", id);
}

Error call_failed(abi::Status status, std::string_view what)
{
    return {kind_of(status), fmt::format("{}: {}", what, status_text(status))};
}

Error no_effect(std::string_view what)
{
    return {ErrorKind::unsupported, fmt::format("the library accepts {} and then shows the old value", what)};
}

std::string version_text(abi::Version version)
{
    return fmt::format("{}.{}.{}", version / 10'000, version / 100 % 100, version % 100);
}

Error Objects::failed(abi::Status status, std::string_view call, abi::AttrId id) const
{
    return call_failed(status, fmt::format("{} {} of {}", call, attribute_text(type_, id), kind_text(type_)));
}

Result<abi::Value> Objects::get(abi::ObjectId object, abi::AttrId id) const
{
    abi::Attribute attribute{};
    attribute.id = id;
    const auto status = get(object, {&attribute, 1});
    if (status != abi::status::success) {
        return tl::unexpected(failed(status, "get", id));
    }
    return attribute.value;
}

Result<void> Objects::set(abi::ObjectId object, abi::AttrId id, const abi::Value& value) const
{
    const abi::Attribute attribute{id, value};
    const auto status =
        set_ == nullptr ? static_cast<abi::Status>(abi::status::not_implemented) : set_(object, &attribute);
    if (status != abi::status::success) {
        return tl::unexpected(failed(status, "set", id));
    }
    return {};
}

}  // namespace petrel::device::sai

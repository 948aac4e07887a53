#include "device/sai/calls.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace petrel::device::sai {

namespace {

using abi::ObjectType;
using Words = std::pair<std::int64_t, std::string_view>;

constexpr std::array kStatuses{
    Words{abi::status::failure, "FAILURE"},
    Words{abi::status::not_supported, "NOT_SUPPORTED"},
    Words{abi::status::no_memory, "NO_MEMORY"},
    Words{abi::status::insufficient_resources, "INSUFFICIENT_RESOURCES"},
    Words{abi::status::invalid_parameter, "INVALID_PARAMETER"},
    Words{abi::status::item_already_exists, "ITEM_ALREADY_EXISTS"},
    Words{abi::status::item_not_found, "ITEM_NOT_FOUND"},
    Words{abi::status::buffer_overflow, "BUFFER_OVERFLOW"},
    Words{abi::status::uninitialized, "UNINITIALIZED"},
    Words{abi::status::table_full, "TABLE_FULL"},
    Words{abi::status::mandatory_attribute_missing, "MANDATORY_ATTRIBUTE_MISSING"},
    Words{abi::status::not_implemented, "NOT_IMPLEMENTED"},
    Words{abi::status::object_in_use, "OBJECT_IN_USE"},
    Words{abi::status::invalid_object_type, "INVALID_OBJECT_TYPE"},
    Words{abi::status::invalid_object_id, "INVALID_OBJECT_ID"},
    Words{abi::status::not_executed, "NOT_EXECUTED"},
};

// Status codes that include the index of an attribute: the first code of each range.
constexpr std::array kIndexed{
    Words{abi::status::invalid_attribute_0, "INVALID_ATTRIBUTE"},
    Words{abi::status::invalid_attr_value_0, "INVALID_ATTR_VALUE"},
    Words{abi::status::attr_not_implemented_0, "ATTR_NOT_IMPLEMENTED"},
    Words{abi::status::unknown_attribute_0, "UNKNOWN_ATTRIBUTE"},
    Words{abi::status::attr_not_supported_0, "ATTR_NOT_SUPPORTED"},
};
constexpr std::int64_t kPositions = 0x10000;

struct AttributeWords {
    ObjectType type;
    abi::AttrId id;
    std::string_view words;
};

constexpr std::array kAttributes{
    AttributeWords{ObjectType::switch_, abi::switch_attr::port_list, "PORT_LIST"},
    AttributeWords{ObjectType::switch_, abi::switch_attr::port_state_change_notify, "PORT_STATE_CHANGE_NOTIFY"},
    AttributeWords{ObjectType::switch_, abi::switch_attr::queue_pfc_deadlock_notify, "QUEUE_PFC_DEADLOCK_NOTIFY"},
    AttributeWords{ObjectType::switch_, abi::switch_attr::pfc_dlr_packet_action, "PFC_DLR_PACKET_ACTION"},
    AttributeWords{ObjectType::switch_, abi::switch_attr::pfc_tc_dld_interval_range, "PFC_TC_DLD_INTERVAL_RANGE"},
    AttributeWords{ObjectType::switch_, abi::switch_attr::pfc_tc_dld_interval, "PFC_TC_DLD_INTERVAL"},
    AttributeWords{ObjectType::switch_, abi::switch_attr::pfc_tc_dlr_interval_range, "PFC_TC_DLR_INTERVAL_RANGE"},
    AttributeWords{ObjectType::switch_, abi::switch_attr::pfc_tc_dlr_interval, "PFC_TC_DLR_INTERVAL"},
    AttributeWords{ObjectType::port, abi::port_attr::oper_status, "OPER_STATUS"},
    AttributeWords{ObjectType::port, abi::port_attr::oper_speed, "OPER_SPEED"},
    AttributeWords{ObjectType::port, abi::port_attr::speed, "SPEED"},
    AttributeWords{ObjectType::port, abi::port_attr::qos_queue_list, "QOS_QUEUE_LIST"},
    AttributeWords{ObjectType::port, abi::port_attr::ingress_priority_group_list, "INGRESS_PRIORITY_GROUP_LIST"},
    AttributeWords{ObjectType::port, abi::port_attr::priority_flow_control_mode, "PRIORITY_FLOW_CONTROL_MODE"},
    AttributeWords{ObjectType::port, abi::port_attr::priority_flow_control, "PRIORITY_FLOW_CONTROL"},
    AttributeWords{ObjectType::port, abi::port_attr::priority_flow_control_rx, "PRIORITY_FLOW_CONTROL_RX"},
    AttributeWords{ObjectType::port, abi::port_attr::pfc_tc_dld_interval_range, "PFC_TC_DLD_INTERVAL_RANGE"},
    AttributeWords{ObjectType::port, abi::port_attr::pfc_tc_dld_interval, "PFC_TC_DLD_INTERVAL"},
    AttributeWords{ObjectType::port, abi::port_attr::pfc_tc_dlr_interval_range, "PFC_TC_DLR_INTERVAL_RANGE"},
    AttributeWords{ObjectType::port, abi::port_attr::pfc_tc_dlr_interval, "PFC_TC_DLR_INTERVAL"},
    AttributeWords{ObjectType::queue, abi::queue_attr::index, "INDEX"},
    AttributeWords{ObjectType::queue, abi::queue_attr::pause_status, "PAUSE_STATUS"},
    AttributeWords{ObjectType::queue, abi::queue_attr::enable_pfc_dldr, "ENABLE_PFC_DLDR"},
    AttributeWords{ObjectType::queue, abi::queue_attr::pfc_dlr_init, "PFC_DLR_INIT"},
    AttributeWords{ObjectType::queue, abi::queue_attr::pfc_dlr_packet_action, "PFC_DLR_PACKET_ACTION"},
    AttributeWords{ObjectType::queue, abi::queue_attr::pfc_continuous_deadlock_state, "PFC_CONTINUOUS_DEADLOCK_STATE"},
    AttributeWords{ObjectType::ingress_priority_group, abi::group_attr::buffer_profile, "BUFFER_PROFILE"},
    AttributeWords{ObjectType::ingress_priority_group, abi::group_attr::index, "INDEX"},
    AttributeWords{ObjectType::qos_map, abi::qos_map_attr::map_to_value_list, "MAP_TO_VALUE_LIST"},
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
    for (const auto& [number, words] : kStatuses) {
        if (number == status) {
            return fmt::format("{} ({})", words, status);
        }
    }
    for (const auto& [first, words] : kIndexed) {
        if (status <= first && status > first - kPositions) {
            return fmt::format("{} ({})", words, status);
        }
    }
    return fmt::format("status {}", status);
}

std::string attribute_text(ObjectType type, abi::AttrId id)
{
    for (const auto& known : kAttributes) {
        if (known.type == type && known.id == id) {
            return std::string{known.words};
        }
    }
    return fmt::format("attribute {}", id);
}

Error call_failed(abi::Status status, std::string_view what)
{
    return {kind_of(status), fmt::format("{}: {}", what, status_text(status))};
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

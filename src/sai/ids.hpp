// The numbers of SAI that we use. The comment of each group is the prefix of its names in SAI (SAI_QUEUE_ATTR_ +
// PAUSE_STATUS); tests/sai looks them up by it. A name that is newer than 1.10 has a comment with its version.
#pragma once

#include "sai/types.hpp"

namespace petrel::sai {

namespace status {
// SAI_STATUS_
enum : Status {
    success = 0,
    failure = -1,
    not_supported = -2,
    no_memory = -3,
    insufficient_resources = -4,
    invalid_parameter = -5,
    item_already_exists = -6,
    item_not_found = -7,
    buffer_overflow = -8,
    uninitialized = -12,
    table_full = -13,
    mandatory_attribute_missing = -14,
    not_implemented = -15,
    object_in_use = -17,
    invalid_object_type = -18,
    invalid_object_id = -19,
    not_executed = -23,
    // These include the position of the attribute: the first code is position 0.
    invalid_attribute_0 = -0x10000,
    invalid_attribute_max = -0x1ffff,
    invalid_attr_value_0 = -0x20000,
    invalid_attr_value_max = -0x2ffff,
    attr_not_implemented_0 = -0x30000,
    attr_not_implemented_max = -0x3ffff,
    unknown_attribute_0 = -0x40000,
    unknown_attribute_max = -0x4ffff,
    attr_not_supported_0 = -0x50000,
    attr_not_supported_max = -0x5ffff,
};
}  // namespace status

// SAI_API_
enum class Api : std::int32_t {
    switch_ = 1,
    port = 2,
    qos_map = 19,
    queue = 20,
    buffer = 23,
};

// SAI_OBJECT_TYPE_
enum class ObjectType : std::int32_t {
    null = 0,
    port = 1,
    qos_map = 20,
    queue = 21,
    buffer_pool = 24,
    buffer_profile = 25,
    ingress_priority_group = 26,
    switch_ = 33,
};

// SAI_LOG_LEVEL_
enum class LogLevel : std::int32_t {
    debug = 0,
    info = 1,
    notice = 2,
    warn = 3,
    error = 4,
    critical = 5,
};

// SAI_STATS_MODE_
enum class StatsMode : std::int32_t {
    read = 1,
    read_and_clear = 2,
};

// SAI_PACKET_ACTION_
enum class PacketAction : std::int32_t {
    drop = 0,
    forward = 1,
    copy = 2,
    copy_cancel = 3,
    trap = 4,
    log = 5,
    deny = 6,
    transit = 7,
};

// SAI_QUEUE_PFC_CONTINUOUS_DEADLOCK_STATE_
enum class DeadlockState : std::int32_t {
    not_paused = 0,
    paused = 1,
    paused_not_continuous = 2,
};

// SAI_QUEUE_PFC_DEADLOCK_EVENT_TYPE_
enum class DeadlockEvent : std::int32_t {
    detected = 0,
    recovered = 1,
};

// SAI_PORT_OPER_STATUS_
enum class OperStatus : std::int32_t {
    unknown = 0,
    up = 1,
    down = 2,
    testing = 3,
    not_present = 4,
};

// SAI_SWITCH_OPER_STATUS_
enum class SwitchStatus : std::int32_t {
    unknown = 0,
    up = 1,
    down = 2,
    failed = 3,
};

// SAI_PORT_TYPE_
enum class PortType : std::int32_t {
    logical = 0,
    cpu = 1,
    fabric = 2,
    recycle = 3,
};

// SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_
enum class PfcMode : std::int32_t {
    combined = 0,
    separate = 1,
};

// SAI_QUEUE_TYPE_
enum class QueueType : std::int32_t {
    all = 0,
    unicast = 1,
    multicast = 2,
};

// SAI_QOS_MAP_TYPE_
enum class QosMapType : std::int32_t {
    dot1p_to_tc = 0,
    dscp_to_tc = 2,
    tc_to_queue = 4,
    tc_to_priority_group = 7,
    pfc_priority_to_priority_group = 8,
    pfc_priority_to_queue = 9,
};

// SAI_BUFFER_POOL_TYPE_
enum class PoolType : std::int32_t {
    ingress = 0,
    egress = 1,
    both = 2,
};

// SAI_BUFFER_PROFILE_THRESHOLD_MODE_
enum class ThresholdMode : std::int32_t {
    static_ = 0,
    dynamic = 1,
};

namespace switch_attr {
// SAI_SWITCH_ATTR_
enum : AttrId {
    number_of_active_ports = 0,
    max_number_of_supported_ports = 1,
    port_list = 2,
    cpu_port = 4,
    number_of_unicast_queues = 13,
    number_of_multicast_queues = 14,
    number_of_queues = 15,
    oper_status = 18,
    qos_max_number_of_traffic_classes = 44,
    total_buffer_size = 48,
    ingress_buffer_pool_num = 49,
    egress_buffer_pool_num = 50,
    counter_refresh_interval = 103,
    switch_profile_id = 113,
    switch_hardware_info = 114,
    init_switch = 116,
    switch_state_change_notify = 117,
    port_state_change_notify = 120,
    qos_num_lossless_queues = 128,
    queue_pfc_deadlock_notify = 129,
    pfc_dlr_packet_action = 130,
    pfc_tc_dld_interval_range = 131,
    pfc_tc_dld_interval = 132,
    pfc_tc_dlr_interval_range = 133,
    pfc_tc_dlr_interval = 134,
};
}  // namespace switch_attr

namespace port_attr {
// SAI_PORT_ATTR_
enum : AttrId {
    type = 0,
    oper_status = 1,
    qos_number_of_queues = 4,
    qos_queue_list = 5,
    number_of_ingress_priority_groups = 26,
    ingress_priority_group_list = 27,
    oper_speed = 29,  // Mbit/s
    hw_lane_list = 30,
    speed = 31,  // Mbit/s
    admin_state = 34,
    mtu = 54,
    qos_tc_to_queue_map = 76,
    qos_tc_to_priority_group_map = 79,
    qos_pfc_priority_to_priority_group_map = 80,
    qos_pfc_priority_to_queue_map = 81,
    priority_flow_control_mode = 85,
    priority_flow_control = 86,
    priority_flow_control_rx = 87,
    priority_flow_control_tx = 88,
    priority_flow_control_forward = 140,
    pfc_tc_dld_interval_range = 144,
    pfc_tc_dld_interval = 145,
    pfc_tc_dlr_interval_range = 146,
    pfc_tc_dlr_interval = 147,
    error_status = 180,  // 1.15
};
}  // namespace port_attr

namespace queue_attr {
// SAI_QUEUE_ATTR_
enum : AttrId {
    type = 0,
    port = 1,
    index = 2,
    buffer_profile_id = 5,
    pause_status = 7,
    enable_pfc_dldr = 8,
    pfc_dlr_init = 9,
    pfc_dlr_packet_action = 11,
    pfc_continuous_deadlock_state = 12,
};
}  // namespace queue_attr

namespace group_attr {
// SAI_INGRESS_PRIORITY_GROUP_ATTR_
enum : AttrId {
    buffer_profile = 0,
    port = 1,
    index = 3,
};
}  // namespace group_attr

namespace pool_attr {
// SAI_BUFFER_POOL_ATTR_
enum : AttrId {
    shared_size = 0,
    type = 1,
    size = 2,
    threshold_mode = 3,
    xoff_size = 5,
};
}  // namespace pool_attr

namespace profile_attr {
// SAI_BUFFER_PROFILE_ATTR_
enum : AttrId {
    pool_id = 0,
    reserved_buffer_size = 1,
    threshold_mode = 2,
    shared_dynamic_th = 3,  // n of alpha = 2^n
    shared_static_th = 4,
    xoff_th = 5,
    xon_th = 6,
    xon_offset_th = 7,
};
}  // namespace profile_attr

namespace qos_map_attr {
// SAI_QOS_MAP_ATTR_
enum : AttrId {
    type = 0,
    map_to_value_list = 1,
};
}  // namespace qos_map_attr

namespace port_stat {
// SAI_PORT_STAT_
enum : StatId {
    if_in_octets = 0,
    if_in_ucast_pkts = 1,
    if_in_discards = 3,
    if_out_octets = 9,
    if_out_ucast_pkts = 10,
    if_out_discards = 12,
    in_dropped_pkts = 99,
    out_dropped_pkts = 100,
    pause_rx_pkts = 101,
    pause_tx_pkts = 102,
};
// SAI_PORT_STAT_PFC_n_: of a priority n
constexpr StatId pfc_rx_pkts(unsigned n) { return 103 + 2 * n; }
constexpr StatId pfc_tx_pkts(unsigned n) { return 104 + 2 * n; }
constexpr StatId pfc_rx_pause_duration(unsigned n) { return 119 + 2 * n; }  // quanta in frames, not time paused
constexpr StatId pfc_tx_pause_duration(unsigned n) { return 120 + 2 * n; }
constexpr StatId pfc_rx_pause_duration_us(unsigned n) { return 135 + 2 * n; }
constexpr StatId pfc_tx_pause_duration_us(unsigned n) { return 136 + 2 * n; }
constexpr StatId pfc_on2off_rx_pkts(unsigned n) { return 151 + n; }
}  // namespace port_stat

namespace queue_stat {
// SAI_QUEUE_STAT_
enum : StatId {
    packets = 0,
    bytes = 1,
    dropped_packets = 2,
    dropped_bytes = 3,
    curr_occupancy_bytes = 0x18,
    watermark_bytes = 0x19,
    shared_curr_occupancy_bytes = 0x1a,
    shared_watermark_bytes = 0x1b,
    wred_ecn_marked_packets = 0x22,
};
}  // namespace queue_stat

namespace group_stat {
// SAI_INGRESS_PRIORITY_GROUP_STAT_
enum : StatId {
    packets = 0,
    bytes = 1,
    curr_occupancy_bytes = 2,
    watermark_bytes = 3,
    shared_curr_occupancy_bytes = 4,
    shared_watermark_bytes = 5,
    xoff_room_curr_occupancy_bytes = 6,
    xoff_room_watermark_bytes = 7,
    dropped_packets = 8,
};
}  // namespace group_stat

namespace pool_stat {
// SAI_BUFFER_POOL_STAT_
enum : StatId {
    curr_occupancy_bytes = 0,
    watermark_bytes = 1,
    dropped_packets = 2,
    xoff_room_curr_occupancy_bytes = 0x13,
    xoff_room_watermark_bytes = 0x14,
};
}  // namespace pool_stat

}  // namespace petrel::sai

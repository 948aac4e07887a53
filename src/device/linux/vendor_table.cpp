#include "device/linux/vendor_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace petrel::device::linux_nic {

namespace {

using watchdog::Field;

constexpr PriorityCounter kMlx5[] = {
    {Field::pause_tx, "tx_prio#_pause"},
    {Field::pause_tx_us, "tx_prio#_pause_duration"},
    {Field::rx_pfc, "rx_prio#_pause"},
    {Field::pause_us, "rx_prio#_pause_duration"},
    {Field::on2off, "rx_prio#_pause_transition"},
    {Field::rx_packets, "rx_prio#_packets"},
    {Field::rx_drops, "rx_prio#_discards"},
};
constexpr PortCounter kMlx5Port[] = {
    {Field::pause_tx, "tx_global_pause"},
    {Field::pause_tx_us, "tx_global_pause_duration"},
    {Field::rx_pfc, "rx_global_pause"},
    {Field::pause_us, "rx_global_pause_duration"},
};
constexpr std::string_view kMlx5Progress[] = {"rx_vport_unicast_packets", "rx_vport_rdma_unicast_packets"};

constexpr PriorityCounter kBnxt[] = {
    {Field::pause_tx, "tx_pfc_ena_frames_pri#"}, {Field::pause_tx_us, "pfc_pri#_tx_duration_us"},
    {Field::rx_pfc, "rx_pfc_ena_frames_pri#"},   {Field::pause_us, "pfc_pri#_rx_duration_us"},
    {Field::rx_packets, "rx_packets_pri#"},
};
constexpr PortCounter kBnxtPort[] = {{Field::pause_tx, "tx_pause_frames"}, {Field::rx_pfc, "rx_pause_frames"}};
// The counters of rings do not include RDMA. Those of priorities do; the driver has them if it knows their queues.
constexpr std::string_view kBnxtProgress[] = {"rx_packets_pri0", "rx_packets_pri1", "rx_packets_pri2",
                                              "rx_packets_pri3", "rx_packets_pri4", "rx_packets_pri5",
                                              "rx_packets_pri6", "rx_packets_pri7"};

constexpr PriorityCounter kIce[] = {
    {Field::pause_tx, "tx_priority_#_xoff.nic"},
    {Field::rx_xoff, "rx_priority_#_xoff.nic"},
    {Field::rx_xon, "rx_priority_#_xon.nic"},
};
constexpr PortCounter kIcePort[] = {
    {Field::pause_tx, "link_xoff_tx.nic"},
    {Field::rx_xoff, "link_xoff_rx.nic"},
    {Field::rx_xon, "link_xon_rx.nic"},
    {Field::rx_drops, "rx_dropped.nic"},
};
constexpr std::string_view kIceProgress[] = {"rx_unicast.nic"};

constexpr PriorityCounter kI40e[] = {
    {Field::pause_tx, "port.tx_priority_#_xoff", "port.tx_priority_#_xoff_tx"},
    {Field::rx_xoff, "port.rx_priority_#_xoff", "port.rx_priority_#_xoff_rx"},
    {Field::rx_xon, "port.rx_priority_#_xon", "port.rx_priority_#_xon_rx"},
};
constexpr PortCounter kI40ePort[] = {
    {Field::pause_tx, "port.link_xoff_tx"},
    {Field::rx_xoff, "port.link_xoff_rx"},
    {Field::rx_xon, "port.link_xon_rx"},
};
constexpr std::string_view kI40eProgress[] = {"port.rx_unicast"};

constexpr PortCounter kQedePort[] = {{Field::pause_tx, "tx_pfc_frames"}, {Field::rx_pfc, "rx_pfc_frames"}};

constexpr PriorityCounter kCxgb4[] = {{Field::pause_tx, "tx_ppp#_frames"}, {Field::rx_pfc, "rx_ppp#_frames"}};
constexpr std::string_view kCxgb4Progress[] = {"rx_frames_ok"};

// The MAC counts all that arrives, RDMA included. What arrives for other priorities than the paused one hides a stall.
constexpr PriorityCounter kHns3[] = {
    {Field::pause_tx, "mac_tx_pfc_pri#_pkt_num"},
    {Field::rx_pfc, "mac_rx_pfc_pri#_pkt_num"},
};
constexpr PortCounter kHns3Port[] = {
    {Field::pause_tx, "mac_tx_mac_pause_num"},
    {Field::rx_pfc, "mac_rx_mac_pause_num"},
};
constexpr std::string_view kHns3Progress[] = {"mac_rx_uni_pkt_num"};

// Pause of the link stops all that could arrive, and these NICs have no RDMA.
constexpr PortCounter kSfcPort[] = {{Field::pause_tx, "port_tx_pause"}, {Field::rx_pfc, "port_rx_pause"}};
constexpr std::string_view kSfcProgress[] = {"port_rx_unicast"};

// What these two receive by RDMA, FCoE or iSCSI is not in a counter of the port.
constexpr PortCounter kBe2netPort[] = {{Field::pause_tx, "tx_pauseframes"}, {Field::rx_pfc, "rx_pause_frames"}};
constexpr PortCounter kBnx2xPort[] = {{Field::pause_tx, "tx_pause_frames"}, {Field::rx_pfc, "rx_pause_frames"}};

constexpr std::string_view kEnicProgress[] = {"rx_frames_ok"};

// hw_counters of mlx5_ib, bnxt_re and irdma.
constexpr std::string_view kMlx5Rdma[] = {"rx_write_requests", "rx_read_requests", "rx_atomic_requests"};
constexpr std::string_view kBnxtRdma[] = {"rx_pkts"};
constexpr std::string_view kIrdmaRdma[] = {"iwInRdmaWrites", "iwInRdmaReads", "iwInRdmaSends"};

using std::chrono::seconds;
constexpr Duration kEveryRead{};

constexpr Vendor kVendors[] = {
    {.driver = "mlx5_core",
     .priority_counters = kMlx5,
     .port_counters = kMlx5Port,
     .progress = kMlx5Progress,
     .rdma_progress = kMlx5Rdma,
     .storms = {"tx_pause_storm_error_events"},
     .refresh = kEveryRead,
     .counts_own_function = true},
    {.driver = "bnxt_en",
     .priority_counters = kBnxt,
     .port_counters = kBnxtPort,
     .progress = kBnxtProgress,
     .rdma_progress = kBnxtRdma,
     .storms = {"continuous_pause_events", true},
     .refresh = seconds{1},
     .refresh_is_set = true},
    {.driver = "ice",
     .priority_counters = kIce,
     .port_counters = kIcePort,
     .progress = kIceProgress,
     .rdma_progress = kIrdmaRdma,
     .refresh = kEveryRead,
     .shares_classes = true,
     .lldp = {"fw-lldp-agent", true}},
    {.driver = "i40e",
     .priority_counters = kI40e,
     .port_counters = kI40ePort,
     .progress = kI40eProgress,
     .rdma_progress = kIrdmaRdma,
     .refresh = kEveryRead,
     .lldp = {"disable-fw-lldp", false}},
    {.driver = "cxgb4", .priority_counters = kCxgb4, .progress = kCxgb4Progress, .refresh = kEveryRead},
    {.driver = "hns3",
     .priority_counters = kHns3,
     .port_counters = kHns3Port,
     .progress = kHns3Progress,
     .refresh = kEveryRead},
    {.driver = "sfc", .port_counters = kSfcPort, .progress = kSfcProgress, .refresh = seconds{1}},
    // Monitored only.
    {.driver = "qede", .port_counters = kQedePort},
    {.driver = "be2net", .port_counters = kBe2netPort},
    {.driver = "bnx2x", .port_counters = kBnx2xPort},
    {.driver = "enic", .progress = kEnicProgress, .refresh = kEveryRead},
    {.driver = "fbnic"},
};

}  // namespace

std::span<const Vendor> vendors() { return kVendors; }

const Vendor* find_vendor(std::string_view driver)
{
    const auto* found = std::ranges::find(kVendors, driver, &Vendor::driver);
    return found == std::end(kVendors) ? nullptr : found;
}

std::optional<std::string> monitored_only(std::string_view driver)
{
    const auto* vendor = find_vendor(driver);
    if (driver.empty()) {
        return "it has no driver that reports counters: it is monitored only";
    }
    if (vendor == nullptr) {
        return fmt::format("the counters of driver '{}' are unknown: its ports are monitored only", driver);
    }
    if (vendor->priority_counters.empty() && vendor->port_counters.empty()) {
        return fmt::format("driver '{}' does not count the pause that it sends: its ports are monitored only", driver);
    }
    if (vendor->progress.empty()) {
        return fmt::format("driver '{}' does not show whether a port receives: its ports are monitored only", driver);
    }
    return std::nullopt;
}

}  // namespace petrel::device::linux_nic

#include "link/taxonomy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace petrel::link {
namespace {

// Sorted by number. The last entry stands for all numbers that are not listed.
constexpr Cause kCauses[] = {
    {0x0101, "PHY_LOCAL_FAULT", CauseClass::phy, Intent::no, false, 33},
    {0x0102, "PHY_REMOTE_FAULT", CauseClass::phy, Intent::no, false, 36},
    {0x0103, "PHY_SIGNAL_LOSS", CauseClass::phy, Intent::no, false, 33},
    {0x0104, "PHY_LOCK_LOSS", CauseClass::phy, Intent::no, false, 33},
    {0x0105, "PCS_BLOCK_LOCK_LOSS", CauseClass::phy, Intent::no, false, 33},
    {0x0106, "PCS_ALIGNMENT_LOSS", CauseClass::phy, Intent::no, false, 33},
    {0x0107, "FEC_SYNC_LOSS", CauseClass::phy, Intent::no, false, 33},
    {0x0108, "PHY_HIGH_BER", CauseClass::phy, Intent::no, false, 33},
    {0x0109, "PHY_HIGH_SER", CauseClass::phy, Intent::no, false, 33},
    {0x010a, "FEC_UNCORRECTED_LIMIT", CauseClass::phy, Intent::no, false, 33},
    {0x010b, "FEC_CORRECTED_LIMIT", CauseClass::phy, Intent::no, false, 33},
    {0x010c, "PHY_FRAME_ERRORS", CauseClass::phy, Intent::no, false, 33},
    {0x010d, "PHY_REFCLK_LOST", CauseClass::phy, Intent::no, false, 33},
    {0x010e, "PHY_CALIBRATION_FAIL", CauseClass::phy, Intent::no, false, 33},
    {0x010f, "PHY_FIFO_OVERFLOW", CauseClass::phy, Intent::no, false, 33},
    {0x0110, "PHY_LINK_DOWN_UNSPEC", CauseClass::phy, Intent::no, false, 33},
    {0x0111, "LANE_DEGRADE_OR_BW_LOSS", CauseClass::phy, Intent::no, false, 41},
    {0x0112, "PHY_SIGNAL_INTEGRITY_UNSPEC", CauseClass::phy, Intent::no, false, 33},
    {0x0113, "PHY_SERDES_CONFIG", CauseClass::phy, Intent::no, false, 33},
    {0x0201, "AN_UNSPEC", CauseClass::bringup, Intent::no, false, 33},
    {0x0202, "AN_NO_PARTNER", CauseClass::bringup, Intent::no, false, 33},
    {0x0203, "AN_NO_COMMON_MODE", CauseClass::bringup, Intent::no, false, 33},
    {0x0204, "AN_PROTOCOL", CauseClass::bringup, Intent::no, false, 33},
    {0x0205, "TRAINING_FAIL", CauseClass::bringup, Intent::no, false, 33},
    {0x0206, "TRAINING_TIMEOUT", CauseClass::bringup, Intent::no, false, 33},
    {0x0207, "BRINGUP_TIMEOUT", CauseClass::bringup, Intent::no, false, 33},
    {0x0208, "BRINGUP_RETRIES_EXHAUSTED", CauseClass::bringup, Intent::no, false, 33},
    {0x0209, "BRINGUP_CANCELED", CauseClass::bringup, Intent::no, false, 33},
    {0x020a, "UNSUPPORTED_SPEED", CauseClass::bringup, Intent::no, false, 57},
    {0x020b, "LNI_WIDTH_POLICY", CauseClass::bringup, Intent::no, false, 58},
    {0x020c, "PORT_RECONFIG_IN_PROGRESS", CauseClass::bringup, Intent::no, false, 33},
    {0x020d, "TRAINING_PEER_FAILED", CauseClass::bringup, Intent::no, false, 33},
    {0x0302, "MEDIA_REMOVED", CauseClass::media, Intent::no, false, 50},
    {0x0303, "MEDIA_UNSUPPORTED", CauseClass::media, Intent::no, false, 33},
    {0x0304, "MEDIA_FAULT", CauseClass::media, Intent::no, false, 33},
    {0x0305, "MEDIA_EEPROM", CauseClass::media, Intent::no, false, 33},
    {0x0306, "MEDIA_NOT_READY", CauseClass::media, Intent::no, false, 33},
    {0x0307, "CABLE_TEST_FAIL", CauseClass::media, Intent::no, false, 33},
    {0x0308, "LASER_FAULT", CauseClass::media, Intent::no, false, 33},
    {0x0309, "CABLE_ISSUE_UNSPEC", CauseClass::media, Intent::no, false, 33},
    {0x0401, "MEDIA_OVERTEMP", CauseClass::power_thermal, Intent::no, false, 56},
    {0x0402, "DEVICE_OVERTEMP", CauseClass::power_thermal, Intent::no, false, 33},
    {0x0404, "OVERCURRENT", CauseClass::power_thermal, Intent::no, false, 33},
    {0x0504, "CONFIG_CHANGE", CauseClass::admin, Intent::yes, false, 60},
    {0x0506, "DEBUG_MODE", CauseClass::admin, Intent::yes, false, 33},
    {0x0507, "ERRDIS_STP", CauseClass::admin, Intent::yes, false, 60},
    {0x0508, "ERRDIS_UDLD", CauseClass::admin, Intent::yes, false, 60},
    {0x0509, "ERRDIS_FLAP", CauseClass::admin, Intent::yes, false, 60},
    {0x050a, "ERRDIS_XCVR", CauseClass::admin, Intent::yes, false, 60},
    {0x050b, "CONTAINED_OR_QUARANTINED", CauseClass::admin, Intent::yes, false, 60},
    {0x050c, "ADMIN_DOWN_WITH_HIGH_BER", CauseClass::admin, Intent::yes, false, 61},
    {0x050d, "HW_FORCED", CauseClass::admin, Intent::yes, false, 33},
    {0x0701, "LLR_REPLAY_MAX", CauseClass::link_layer, Intent::no, false, 33},
    {0x0702, "LLR_REPLAY_RATE", CauseClass::link_layer, Intent::no, false, 33},
    {0x0703, "CREDIT_WATCHDOG", CauseClass::link_layer, Intent::no, false, 33},
    {0x0704, "HEARTBEAT_LOST", CauseClass::link_layer, Intent::no, false, 33},
    {0x0705, "LINK_INTEGRITY_THRESHOLD", CauseClass::link_layer, Intent::no, false, 33},
    {0x0707, "REACHABILITY_LOST", CauseClass::link_layer, Intent::no, false, 33},
    {0x0708, "TOO_MANY_RECOVERIES", CauseClass::link_layer, Intent::no, false, 33},
    {0x0709, "LLR_TX_FLUSH", CauseClass::link_layer, Intent::no, false, 33},
    {0x070a, "LOWPOWER_EXIT_FAIL", CauseClass::link_layer, Intent::no, false, 33},
    {0x0801, "PAUSE_TOO_LONG_FROM_PEER", CauseClass::flow_control, Intent::no, true, 33},
    {0x0802, "PAUSE_TOO_LONG_AT_NIC", CauseClass::flow_control, Intent::no, true, 33},
    {0x0803, "PFC_DEADLOCK", CauseClass::flow_control, Intent::no, true, 33},
    {0x0804, "PFC_STORM_MITIGATED", CauseClass::flow_control, Intent::no, true, 33},
    {0x0901, "PEER_SLEEP", CauseClass::peer_signalled, Intent::unknown, false, 0},
    {0x0902, "PEER_DISABLED", CauseClass::peer_signalled, Intent::unknown, false, 0},
    {0x0903, "PEER_PORT_LOCK", CauseClass::peer_signalled, Intent::unknown, false, 0},
    {0x0904, "PEER_THERMAL", CauseClass::peer_signalled, Intent::unknown, false, 0},
    {0x0905, "PEER_FORCED", CauseClass::peer_signalled, Intent::unknown, false, 0},
    {0x0906, "PEER_RESET", CauseClass::peer_signalled, Intent::unknown, false, 0},
    {0x0907, "PEER_CLEAN", CauseClass::peer_signalled, Intent::unknown, false, 0},
    {0x0908, "PEER_CONTAINED", CauseClass::peer_signalled, Intent::unknown, false, 0},
    {0x0909, "PEER_REQUESTED_UNSPEC", CauseClass::peer_signalled, Intent::unknown, false, 0},
    {0x0a02, "DRIVER_IRQ_FAULT", CauseClass::internal, Intent::no, false, 33},
    {0x0a03, "DRIVER_OR_FW_CONFIG", CauseClass::internal, Intent::no, false, 33},
    {0x0a04, "FW_RECOVERY", CauseClass::internal, Intent::no, false, 33},
    {0xffff, "UNCLASSIFIED", CauseClass::unclassified, Intent::unknown, false, 33},
};

Cause of_reason(std::uint8_t code)
{
    const auto& why = reason(code);
    return {code, why.symbol, why.cause_class, why.intent, false, code};
}

}  // namespace

Cause cause(Canonical canonical)
{
    if (canonical <= 0xff) {
        return of_reason(static_cast<std::uint8_t>(canonical));
    }
    const auto* at = std::lower_bound(std::begin(kCauses), std::end(kCauses), canonical,
                                      [](const Cause& one, Canonical wanted) { return one.canonical < wanted; });
    return at->canonical == canonical ? *at : *std::prev(std::end(kCauses));
}

std::string symbol_of(Canonical canonical)
{
    const auto known = cause(canonical).symbol;
    return known.empty() ? fmt::format("RESERVED_{}", canonical) : std::string{known};
}

}  // namespace petrel::link

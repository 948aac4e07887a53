#include "link/taxonomy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "link/opa_text.hpp"

namespace petrel::link {
namespace {

// Sorted by number. The last entry stands for all numbers that are not listed.
constexpr Cause kCauses[] = {
    {0x0101, "PHY_LOCAL_FAULT", CauseClass::phy, Intent::no, false, 33, "The port's own receiver reports a fault."},
    {0x0102, "PHY_REMOTE_FAULT", CauseClass::phy, Intent::no, false, 36,
     "The neighbour reports that it does not receive this end's signal."},
    {0x0103, "PHY_SIGNAL_LOSS", CauseClass::phy, Intent::no, false, 33, "The receiver gets no signal."},
    {0x0104, "PHY_LOCK_LOSS", CauseClass::phy, Intent::no, false, 33,
     "The receiver cannot follow the clock of the signal."},
    {0x0105, "PCS_BLOCK_LOCK_LOSS", CauseClass::phy, Intent::no, false, 33,
     "The receiver does not find the blocks in the stream of bits."},
    {0x0106, "PCS_ALIGNMENT_LOSS", CauseClass::phy, Intent::no, false, 33,
     "The lanes cannot be aligned with each other."},
    {0x0107, "FEC_SYNC_LOSS", CauseClass::phy, Intent::no, false, 33,
     "The error correction has lost its place, or the ends use different ones."},
    {0x0108, "PHY_HIGH_BER", CauseClass::phy, Intent::no, false, 33, "Too many bits are wrong."},
    {0x0109, "PHY_HIGH_SER", CauseClass::phy, Intent::no, false, 33, "Too many symbols are wrong."},
    {0x010a, "FEC_UNCORRECTED_LIMIT", CauseClass::phy, Intent::no, false, 33,
     "Too many errors could not be corrected."},
    {0x010b, "FEC_CORRECTED_LIMIT", CauseClass::phy, Intent::no, false, 33, "Too many errors had to be corrected."},
    {0x010c, "PHY_FRAME_ERRORS", CauseClass::phy, Intent::no, false, 33, "Too many frames arrive damaged."},
    {0x010d, "PHY_REFCLK_LOST", CauseClass::phy, Intent::no, false, 33, "The reference clock of the port is gone."},
    {0x010e, "PHY_CALIBRATION_FAIL", CauseClass::phy, Intent::no, false, 33,
     "The port could not calibrate its receiver or transmitter."},
    {0x010f, "PHY_FIFO_OVERFLOW", CauseClass::phy, Intent::no, false, 33,
     "A buffer of the physical layer overflowed: the clocks of the ends drift apart."},
    {0x0110, "PHY_LINK_DOWN_UNSPEC", CauseClass::phy, Intent::no, false, 33,
     "The physical layer lost the link and gives no further reason."},
    {0x0111, "LANE_DEGRADE_OR_BW_LOSS", CauseClass::phy, Intent::no, false, 41,
     "The link lost lanes, or too much of its bandwidth."},
    {0x0112, "PHY_SIGNAL_INTEGRITY_UNSPEC", CauseClass::phy, Intent::no, false, 33,
     "The signal is too bad for a link; no further reason is given."},
    {0x0113, "PHY_SERDES_CONFIG", CauseClass::phy, Intent::no, false, 33,
     "The settings of the transmitter or receiver are wrong."},
    {0x0201, "AN_UNSPEC", CauseClass::bringup, Intent::no, false, 33,
     "Autonegotiation failed; no further reason is given."},
    {0x0202, "AN_NO_PARTNER", CauseClass::bringup, Intent::no, false, 33,
     "Autonegotiation finds no partner: the neighbour is down or not connected."},
    {0x0203, "AN_NO_COMMON_MODE", CauseClass::bringup, Intent::no, false, 33,
     "The ends have no speed or mode in common."},
    {0x0204, "AN_PROTOCOL", CauseClass::bringup, Intent::no, false, 33,
     "Autonegotiation began, and the partner broke off or did not answer."},
    {0x0205, "TRAINING_FAIL", CauseClass::bringup, Intent::no, false, 33, "Link training failed."},
    {0x0206, "TRAINING_TIMEOUT", CauseClass::bringup, Intent::no, false, 33, "Link training took too long."},
    {0x0207, "BRINGUP_TIMEOUT", CauseClass::bringup, Intent::no, false, 33, "The link did not come up in time."},
    {0x0208, "BRINGUP_RETRIES_EXHAUSTED", CauseClass::bringup, Intent::no, false, 33,
     "The link did not come up in any of the allowed attempts."},
    {0x0209, "BRINGUP_CANCELED", CauseClass::bringup, Intent::no, false, 33,
     "The attempt to bring the link up was cancelled."},
    {0x020a, "UNSUPPORTED_SPEED", CauseClass::bringup, Intent::no, false, 57,
     "One end does not support the speed of the other."},
    {0x020b, "LNI_WIDTH_POLICY", CauseClass::bringup, Intent::no, false, 58,
     "The link would have come up with a width that the policy does not allow."},
    {0x020c, "PORT_RECONFIG_IN_PROGRESS", CauseClass::bringup, Intent::no, false, 33,
     "The port is being reconfigured."},
    {0x020d, "TRAINING_PEER_FAILED", CauseClass::bringup, Intent::no, false, 33,
     "The neighbour failed in link training, or was not ready."},
    {0x0302, "MEDIA_REMOVED", CauseClass::media, Intent::no, false, 50, "The cable or module was unplugged."},
    {0x0303, "MEDIA_UNSUPPORTED", CauseClass::media, Intent::no, false, 33,
     "The port does not support this cable or module."},
    {0x0304, "MEDIA_FAULT", CauseClass::media, Intent::no, false, 33, "The module reports a fault."},
    {0x0305, "MEDIA_EEPROM", CauseClass::media, Intent::no, false, 33,
     "The description inside the cable or module cannot be read."},
    {0x0306, "MEDIA_NOT_READY", CauseClass::media, Intent::no, false, 33, "The module has not finished its start."},
    {0x0307, "CABLE_TEST_FAIL", CauseClass::media, Intent::no, false, 33, "The cable failed its test."},
    {0x0308, "LASER_FAULT", CauseClass::media, Intent::no, false, 33, "The laser of the module failed."},
    {0x0309, "CABLE_ISSUE_UNSPEC", CauseClass::media, Intent::no, false, 33,
     "The cable has a problem; no further reason is given."},
    {0x0401, "MEDIA_OVERTEMP", CauseClass::power_thermal, Intent::no, false, 56, "The module is too hot."},
    {0x0402, "DEVICE_OVERTEMP", CauseClass::power_thermal, Intent::no, false, 33, "The device is too hot."},
    {0x0404, "OVERCURRENT", CauseClass::power_thermal, Intent::no, false, 33, "The port draws too much current."},
    {0x0504, "CONFIG_CHANGE", CauseClass::admin, Intent::yes, false, 60,
     "A change of the configuration took the link down."},
    {0x0506, "DEBUG_MODE", CauseClass::admin, Intent::yes, false, 33, "The port is in a mode for debugging."},
    {0x0507, "ERRDIS_STP", CauseClass::admin, Intent::yes, false, 60, "Spanning tree disabled the port."},
    {0x0508, "ERRDIS_UDLD", CauseClass::admin, Intent::yes, false, 60,
     "The link carries traffic in one direction only, and the switch disabled the port."},
    {0x0509, "ERRDIS_FLAP", CauseClass::admin, Intent::yes, false, 60,
     "The link went down too often, and the switch disabled the port."},
    {0x050a, "ERRDIS_XCVR", CauseClass::admin, Intent::yes, false, 60,
     "The switch disabled the port because of its module."},
    {0x050b, "CONTAINED_OR_QUARANTINED", CauseClass::admin, Intent::yes, false, 60, "Management isolated the port."},
    {0x050c, "ADMIN_DOWN_WITH_HIGH_BER", CauseClass::admin, Intent::yes, false, 61,
     "An operator or manager took the link down while it had many errors."},
    {0x050d, "HW_FORCED", CauseClass::admin, Intent::yes, false, 33, "The hardware was forced to take the link down."},
    {0x0701, "LLR_REPLAY_MAX", CauseClass::link_layer, Intent::no, false, 33,
     "Link-level retry repeated the same frames too often."},
    {0x0702, "LLR_REPLAY_RATE", CauseClass::link_layer, Intent::no, false, 33,
     "Link-level retry had to repeat too many frames."},
    {0x0703, "CREDIT_WATCHDOG", CauseClass::link_layer, Intent::no, false, 33,
     "The neighbour returned no credits for too long."},
    {0x0704, "HEARTBEAT_LOST", CauseClass::link_layer, Intent::no, false, 33,
     "The heartbeat of the neighbour stopped."},
    {0x0705, "LINK_INTEGRITY_THRESHOLD", CauseClass::link_layer, Intent::no, false, 33,
     "The link layer counted too many errors."},
    {0x0707, "REACHABILITY_LOST", CauseClass::link_layer, Intent::no, false, 33,
     "The port no longer receives the neighbour's reachability messages."},
    {0x0708, "TOO_MANY_RECOVERIES", CauseClass::link_layer, Intent::no, false, 33,
     "The link had to recover too often."},
    {0x0709, "LLR_TX_FLUSH", CauseClass::link_layer, Intent::no, false, 33,
     "Link-level retry gave up and discarded the frames that it held."},
    {0x070a, "LOWPOWER_EXIT_FAIL", CauseClass::link_layer, Intent::no, false, 33,
     "The link could not leave its low-power state."},
    {0x0801, "PAUSE_TOO_LONG_FROM_PEER", CauseClass::flow_control, Intent::no, true, 33,
     "The neighbour paused this port for too long."},
    {0x0802, "PAUSE_TOO_LONG_AT_NIC", CauseClass::flow_control, Intent::no, true, 33,
     "The NIC was paused for too long."},
    {0x0803, "PFC_DEADLOCK", CauseClass::flow_control, Intent::no, true, 33, "A queue is paused without an end."},
    {0x0804, "PFC_STORM_MITIGATED", CauseClass::flow_control, Intent::no, true, 33,
     "A queue is in a storm, and a watchdog treats it."},
    {0x0901, "PEER_SLEEP", CauseClass::peer_signalled, Intent::unknown, false, 0, "The neighbour went to sleep."},
    {0x0902, "PEER_DISABLED", CauseClass::peer_signalled, Intent::unknown, false, 0,
     "The neighbour's port was disabled."},
    {0x0903, "PEER_PORT_LOCK", CauseClass::peer_signalled, Intent::unknown, false, 0,
     "The neighbour's port was disabled and locked."},
    {0x0904, "PEER_THERMAL", CauseClass::peer_signalled, Intent::unknown, false, 0, "The neighbour is too hot."},
    {0x0905, "PEER_FORCED", CauseClass::peer_signalled, Intent::unknown, false, 0,
     "The neighbour was forced to take the link down."},
    {0x0906, "PEER_RESET", CauseClass::peer_signalled, Intent::unknown, false, 0, "The neighbour is being reset."},
    {0x0907, "PEER_CLEAN", CauseClass::peer_signalled, Intent::unknown, false, 0,
     "The neighbour took the link down in good order."},
    {0x0908, "PEER_CONTAINED", CauseClass::peer_signalled, Intent::unknown, false, 0,
     "The neighbour's port was isolated."},
    {0x0909, "PEER_REQUESTED_UNSPEC", CauseClass::peer_signalled, Intent::unknown, false, 0,
     "The neighbour took the link down and gives no further reason."},
    {0x0a02, "DRIVER_IRQ_FAULT", CauseClass::internal, Intent::no, false, 33,
     "The driver met a fault in an interrupt."},
    {0x0a03, "DRIVER_OR_FW_CONFIG", CauseClass::internal, Intent::no, false, 33,
     "Driver or firmware configured the port wrongly."},
    {0x0a04, "FW_RECOVERY", CauseClass::internal, Intent::no, false, 33, "The firmware recovers from an error."},
    {0xffff, "UNCLASSIFIED", CauseClass::unclassified, Intent::unknown, false, 33, "The code is unknown."},
};

Cause of_reason(std::uint8_t code)
{
    const auto& why = reason(code);
    return {code, why.symbol, why.cause_class, why.intent, false, code, why.meaning, why.advice};
}

// Causes above the reasons have one advice for each class.
std::string_view class_advice(CauseClass cause_class)
{
    switch (cause_class) {
    case CauseClass::phy: return "Clean or replace cable and modules; compare the error counters of both ends.";
    case CauseClass::bringup:
        return "Compare speed, autonegotiation and error correction of both ends, and check that the neighbour is on.";
    case CauseClass::media: return "Reseat the cable or module, or replace it by one that the device supports.";
    case CauseClass::power_thermal: return "Check fans, air flow and the power class of the module.";
    case CauseClass::admin: return "Ask who changed the port; enable it when it is wanted again.";
    case CauseClass::link_layer: return "Compare the link-layer settings and error counters of both ends.";
    case CauseClass::flow_control: return "Look at the receiver: find out why it does not take its traffic.";
    case CauseClass::peer_signalled: return "Look at the neighbour: its own log has the reason.";
    case CauseClass::internal: return "Read the log of the device; update its driver and firmware.";
    default: return "Keep the code; ask the vendor of the device.";
    }
}

std::string folded(std::string_view name)
{
    std::string same{name};
    for (auto& letter : same) {
        letter = letter == ' ' || letter == '-'   ? '_'
                 : letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A')
                                                  : letter;
    }
    return same;
}

template <class Same>
std::vector<Canonical> named(const Same& same)
{
    std::vector<Canonical> found;
    for (unsigned code = 0; code <= 0xff; ++code) {
        const auto& why = reason(static_cast<std::uint8_t>(code));
        if (why.known() && (same(why.symbol) || same(why.text) || same(opa_tool_text(why.code)))) {
            found.push_back(why.code);
        }
    }
    for (const auto& one : kCauses) {
        if (same(one.symbol)) {
            found.push_back(one.canonical);
        }
    }
    return found;
}

std::optional<Canonical> cause_numbered(std::string_view text)
{
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    text.remove_prefix(hex ? 2 : 0);
    Canonical number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number, hex ? 16 : 10);
    const bool whole = problem == std::errc{} && stop == end;
    return whole && cause(number).canonical == number ? std::optional{number} : std::nullopt;
}

}  // namespace

Cause cause(Canonical canonical)
{
    if (canonical <= 0xff) {
        return of_reason(static_cast<std::uint8_t>(canonical));
    }
    const auto* at = std::lower_bound(std::begin(kCauses), std::end(kCauses), canonical,
                                      [](const Cause& one, Canonical wanted) { return one.canonical < wanted; });
    auto found = at->canonical == canonical ? *at : *std::prev(std::end(kCauses));
    found.advice = class_advice(found.cause_class);
    return found;
}

std::string symbol_of(Canonical canonical)
{
    const auto known = cause(canonical).symbol;
    return known.empty() ? fmt::format("RESERVED_{}", canonical) : std::string{known};
}

std::vector<Canonical> causes_named(std::string_view name)
{
    if (const auto number = cause_numbered(name)) {
        return {*number};
    }
    constexpr std::string_view kPrefix = "OPA_LINKDOWN_REASON_";
    name.remove_prefix(name.starts_with(kPrefix) ? kPrefix.size() : 0);
    auto found = named([name](std::string_view known) { return known == name; });
    return !found.empty() ? found
                          : named([wanted = folded(name)](std::string_view known) { return folded(known) == wanted; });
}

}  // namespace petrel::link

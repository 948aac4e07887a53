#include "link/reasons.hpp"

#include <fmt/format.h>

#include <array>

namespace petrel::link {
namespace {

constexpr Reason kKnown[] = {
    {0, "NONE", "None", CauseClass::none, Intent::not_applicable, false,
     "No reason is recorded: the link has not gone down since the registers were cleared.", "no component",
     "Nothing to do."},
    {1, "RCV_ERROR_0", "Receive Error 0", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 0: no port should report it.",
     "the port that met the error (mask bit 0)", "Update the firmware of the port that reports it."},
    {2, "BAD_PKT_LEN", "Bad Packet Length", CauseClass::port_error_action, Intent::no, false,
     "The length in a packet's header is illegal.", "the port that met the error (mask bit 1)",
     "Look at the sender: a faulty port or its firmware builds such frames. Follow the error counters of both ends."},
    {3, "PKT_TOO_LONG", "Packet Too Long", CauseClass::port_error_action, Intent::no, false,
     "A packet was longer than its header said.", "the port that met the error (mask bit 2)",
     "Look at the sender: a faulty port or its firmware builds such frames. Follow the error counters of both ends."},
    {4, "PKT_TOO_SHORT", "Packet Too Short", CauseClass::port_error_action, Intent::no, false,
     "A packet ended normally, but before the length its header said.", "the port that met the error (mask bit 3)",
     "Look at the sender: a faulty port or its firmware builds such frames. Follow the error counters of both ends."},
    {5, "BAD_SLID", "Bad Source LID", CauseClass::port_error_action, Intent::no, false,
     "A packet came from source LID 0 or from a multicast LID.", "the port that met the error (mask bit 4)",
     "Check the address assignment of the sender."},
    {6, "BAD_DLID", "Bad Destination LID", CauseClass::port_error_action, Intent::no, false,
     "A packet was sent to LID 0, to a LID that is not this port's, or to multicast on SC15.",
     "the port that met the error (mask bit 5)", "Check the routes towards this port."},
    {7, "BAD_L2", "Bad L2", CauseClass::port_error_action, Intent::no, false, "A packet had an illegal L2 opcode.",
     "the port that met the error (mask bit 6)",
     "Look at the sender: a faulty port or its firmware builds such frames. Follow the error counters of both ends."},
    {8, "BAD_SC", "Bad SC", CauseClass::port_error_action, Intent::no, false,
     "A packet used a service channel that is not configured.", "the port that met the error (mask bit 7)",
     "Compare the service channel configuration of both ends."},
    {9, "RCV_ERROR_8", "Receive Error 8", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 8: no port should report it.",
     "the port that met the error (mask bit 8)", "Update the firmware of the port that reports it."},
    {10, "BAD_MID_TAIL", "Bad Mid Tail", CauseClass::port_error_action, Intent::no, false,
     "A body or tail flit came without its head.", "the port that met the error (mask bit 9)",
     "Suspect the cable or the sender's port; look at the error counters of both ends."},
    {11, "RCV_ERROR_10", "Receive Error 10", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 10: no port should report it.",
     "the port that met the error (mask bit 10)", "Update the firmware of the port that reports it."},
    {12, "PREEMPT_ERROR", "Preempt Error", CauseClass::port_error_action, Intent::no, false,
     "A packet was preempted by one of the same virtual lane.", "the port that met the error (mask bit 11)",
     "Compare the preemption settings of both ends."},
    {13, "PREEMPT_VL15", "Preempt VL15", CauseClass::port_error_action, Intent::no, false,
     "A management packet (VL15) was preempted.", "the port that met the error (mask bit 12)",
     "Compare the preemption settings of both ends."},
    {14, "BAD_VL_MARKER", "Bad VL Marker", CauseClass::port_error_action, Intent::no, false,
     "A virtual lane marker was illegal.", "the port that met the error (mask bit 13)",
     "Look at the sender: a faulty port or its firmware builds such frames. Follow the error counters of both ends."},
    {15, "RCV_ERROR_14", "Receive Error 14", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 14: no port should report it.",
     "the port that met the error (mask bit 14)", "Update the firmware of the port that reports it."},
    {16, "RCV_ERROR_15", "Receive Error 15", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 15: no port should report it.",
     "the port that met the error (mask bit 15)", "Update the firmware of the port that reports it."},
    {17, "BAD_HEAD_DIST", "Bad Head Distance", CauseClass::port_error_action, Intent::no, false,
     "Two head flits came closer together than allowed.", "the port that met the error (mask bit 16)",
     "Suspect the sender's port or firmware."},
    {18, "BAD_TAIL_DIST", "Bad Tail Distance", CauseClass::port_error_action, Intent::no, false,
     "Two tail flits came closer together than allowed.", "the port that met the error (mask bit 17)",
     "Suspect the sender's port or firmware."},
    {19, "BAD_CTRL_DIST", "Bad Control Distance", CauseClass::port_error_action, Intent::no, false,
     "Two credit control flits came closer together than allowed.", "the port that met the error (mask bit 18)",
     "Suspect the sender's port or firmware."},
    {20, "BAD_CREDIT_ACK", "Bad Credit Ack", CauseClass::port_error_action, Intent::no, false,
     "Credits were returned for a virtual lane that is not supported.", "the port that met the error (mask bit 19)",
     "Compare the virtual lane configuration of both ends."},
    {21, "UNSUPPORTED_VL_MARKER", "Unsupported VL Marker", CauseClass::port_error_action, Intent::no, false,
     "A marker named a virtual lane that is not supported.", "the port that met the error (mask bit 20)",
     "Compare the virtual lane configuration of both ends."},
    {22, "BAD_PREEMPT", "Bad Preempt", CauseClass::port_error_action, Intent::no, false,
     "More packets were interleaved than the link allows.", "the port that met the error (mask bit 21)",
     "Compare the preemption settings of both ends."},
    {23, "BAD_CONTROL_FLIT", "Bad Control Flit", CauseClass::port_error_action, Intent::no, false,
     "An unknown control flit came. The code is deprecated.", "the port that met the error (mask bit 22)",
     "Suspect the sender's port or firmware."},
    {24, "EXCEED_MULTICAST_LIMIT", "Exceed Multicast Limit", CauseClass::port_error_action, Intent::no, false,
     "The multicast limit was exceeded.", "the port that met the error (mask bit 23)",
     "Look for the source of the multicast traffic."},
    {25, "RCV_ERROR_24", "Receive Error 24", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 24: no port should report it.",
     "the port that met the error (mask bit 24)", "Update the firmware of the port that reports it."},
    {26, "RCV_ERROR_25", "Receive Error 25", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 25: no port should report it.",
     "the port that met the error (mask bit 25)", "Update the firmware of the port that reports it."},
    {27, "RCV_ERROR_26", "Receive Error 26", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 26: no port should report it.",
     "the port that met the error (mask bit 26)", "Update the firmware of the port that reports it."},
    {28, "RCV_ERROR_27", "Receive Error 27", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 27: no port should report it.",
     "the port that met the error (mask bit 27)", "Update the firmware of the port that reports it."},
    {29, "RCV_ERROR_28", "Receive Error 28", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 28: no port should report it.",
     "the port that met the error (mask bit 28)", "Update the firmware of the port that reports it."},
    {30, "RCV_ERROR_29", "Receive Error 29", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 29: no port should report it.",
     "the port that met the error (mask bit 29)", "Update the firmware of the port that reports it."},
    {31, "RCV_ERROR_30", "Receive Error 30", CauseClass::port_error_action, Intent::no, false,
     "A placeholder for reserved PortErrorAction bit 30: no port should report it.",
     "the port that met the error (mask bit 30)", "Update the firmware of the port that reports it."},
    {32, "EXCESSIVE_BUFFER_OVERRUN", "Excessive Buffer Overrun", CauseClass::port_error_action, Intent::no, false,
     "The receive buffer overran too often.", "the port that met the error (mask bit 31)",
     "Check credits, headroom and cable length of this link."},
    {33, "UNKNOWN", "Unknown", CauseClass::local_unknown, Intent::unknown, false,
     "This end took the link down and has no more specific reason.", "the port that went down",
     "Read the device's own log at the time of the event."},
    {35, "REBOOT", "Reboot", CauseClass::intentional, Intent::yes, false,
     "The device reboots, or its service is reset.", "the device that reboots",
     "If the restart was not intended, find out why the device restarted."},
    {36, "NEIGHBOR_UNKNOWN", "Neighbor Unknown", CauseClass::peer_unknown, Intent::unknown, true,
     "The link went down, this end did not do it, and the neighbour sent no reason: cable, power, or a crash over "
     "there.",
     "the port itself, when it is quiet and has no other reason",
     "Look at the neighbour's reason; if it has none either, check cable, module and power of both ends."},
    {39, "FM_BOUNCE", "FM Bounce", CauseClass::intentional, Intent::yes, false,
     "The manager bounced the link: LinkUp to Polling.", "the port, on request of the manager",
     "None, unless the manager does it again and again: then read its log."},
    {40, "SPEED_POLICY", "Speed Policy", CauseClass::intentional, Intent::yes, false,
     "The link came up at a speed outside the link policy.", "the port that checks its policy",
     "Check cable and module for that speed, or change the policy."},
    {41, "WIDTH_POLICY", "Width Policy", CauseClass::intentional, Intent::yes, false,
     "The link lost lanes, and the width left is outside the policy.", "the port that checks its policy",
     "Replace the cable or the module that lost the lanes, or allow that width."},
    {49, "DISCONNECTED", "Disconnected", CauseClass::offline_disabled, Intent::no, true,
     "The link can never reach LinkUp.", "the port that stays offline", "Connect the port, or disable it."},
    {50, "LOCAL_MEDIA_NOT_INSTALLED", "No Local Media Installed", CauseClass::offline_disabled, Intent::no, true,
     "There is no module in this port's connector.", "the port without a module", "Plug in a module."},
    {51, "NOT_INSTALLED", "Not Installed", CauseClass::offline_disabled, Intent::no, true,
     "The partner of an internal link is absent: its board or the backplane.", "the port without a partner",
     "Install the missing board."},
    {52, "CHASSIS_CONFIG", "Chassis Config", CauseClass::offline_disabled, Intent::yes, false,
     "Chassis management holds the port offline: the partner board or backplane is absent or does not fit.",
     "chassis management", "Check what is installed in the chassis."},
    {54, "END_TO_END_NOT_INSTALLED", "End to End not Installed", CauseClass::offline_disabled, Intent::no, true,
     "The optical module is there, but no partner answers it: some part of the optical path is missing.",
     "the port without a partner", "Check the optical path and the remote module."},
    {56, "POWER_POLICY", "Power Policy", CauseClass::offline_disabled, Intent::yes, false,
     "The port cannot be enabled within the power policy.", "the port that checks its policy",
     "Use a module of a lower power class, or change the policy."},
    {57, "LINKSPEED_POLICY", "Link Speed Policy", CauseClass::offline_disabled, Intent::yes, false,
     "The enabled speeds cannot be met, and will not be later.", "the port that checks its policy",
     "Compare enabled and supported speeds of both ends."},
    {58, "LINKWIDTH_POLICY", "Link Width Policy", CauseClass::offline_disabled, Intent::yes, false,
     "The enabled widths cannot be met, and will not be later: the board has too few lanes.",
     "the port that checks its policy", "Compare enabled and supported widths of both ends."},
    {60, "SWITCH_MGMT", "Switch Management", CauseClass::offline_disabled, Intent::yes, false,
     "An operator disabled the port at the switch: command line, SNMP or configuration.", "switch management",
     "Enable the port when it is wanted again."},
    {61, "SMA_DISABLED", "SMA Disabled", CauseClass::offline_disabled, Intent::yes, false,
     "The manager disabled the port.", "the port, on request of the manager",
     "Enable the port at the manager when it is wanted again."},
    {63, "TRANSIENT", "Transient", CauseClass::offline_disabled, Intent::yes, false,
     "The port has just gone offline and waits until its partner has noticed.", "the port itself",
     "Wait; it goes away by itself."},
};

// A reserved code has the class of its range.
constexpr Reason reserved(std::uint8_t code)
{
    const auto cause_class = code < 49   ? CauseClass::intentional
                             : code < 64 ? CauseClass::offline_disabled
                                         : CauseClass::reserved;
    return {code,
            {},
            "Unknown code",
            cause_class,
            Intent::unknown,
            false,
            "A reserved code: its sender has a newer table, or is broken.",
            "no known component",
            "Keep the number; ask the vendor of the device that sent it."};
}

constexpr std::array<Reason, 256> kReasons = [] {
    std::array<Reason, 256> all{};
    for (std::size_t code = 0; code < all.size(); ++code) {
        all[code] = reserved(static_cast<std::uint8_t>(code));
    }
    for (const auto& known : kKnown) {
        all[known.code] = known;
    }
    return all;
}();

}  // namespace

const Reason& reason(std::uint8_t code) { return kReasons[code]; }

std::string code_text(std::uint8_t code) { return fmt::format("{} {}", code, reason(code).text); }

std::string_view name(CauseClass cause_class)
{
    switch (cause_class) {
    case CauseClass::none: return "none";
    case CauseClass::port_error_action: return "porterroraction";
    case CauseClass::local_unknown: return "local-unknown";
    case CauseClass::intentional: return "intentional";
    case CauseClass::peer_unknown: return "peer-unknown";
    case CauseClass::offline_disabled: return "offline-disabled";
    case CauseClass::reserved: return "reserved";
    case CauseClass::phy: return "phy";
    case CauseClass::bringup: return "bringup";
    case CauseClass::media: return "media";
    case CauseClass::power_thermal: return "power-thermal";
    case CauseClass::admin: return "admin";
    case CauseClass::link_layer: return "link-layer";
    case CauseClass::flow_control: return "flow-control";
    case CauseClass::peer_signalled: return "peer-signalled";
    case CauseClass::internal: return "internal";
    case CauseClass::unclassified: break;
    }
    return "unclassified";
}

std::string_view name(Intent intent)
{
    switch (intent) {
    case Intent::not_applicable: return "n/a";
    case Intent::yes: return "yes";
    case Intent::no: return "no";
    case Intent::unknown: break;
    }
    return "unknown";
}

}  // namespace petrel::link

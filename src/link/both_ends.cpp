#include "link/both_ends.hpp"

#include "link/reasons.hpp"

namespace petrel::link {

std::string_view account_of(std::uint8_t ldr, std::uint8_t nldr)
{
    if (ldr == kNoReason && nldr == kNoReason) {
        return "No reason is recorded: the link has not gone down since the registers were cleared, or this end lost "
               "its "
               "power.";
    }
    if (ldr == kNeighborUnknown && nldr == kNoReason) {
        return "This end did not take the link down and received no reason. If the neighbour shows 36, too, check the "
               "cable. If it shows another reason, its message was lost. If it shows none, it lost its power.";
    }
    if (nldr == kNoReason) {
        return "This end took the link down. The neighbour shows the same code as NeighborLinkDownReason, or 36 if the "
               "message was lost.";
    }
    if (reason(nldr).local_only) {
        return "The neighbour sent a code that is only for its own register: it does not follow the protocol.";
    }
    if (ldr == kNoReason) {
        return "The neighbour took the link down and sent its reason.";
    }
    return "Both ends took the link down at the same moment.";
}

std::string_view account_of(const ImportedPort& port)
{
    if (!port.local && !port.neighbor) {
        return "The tool shows no reason.";
    }
    if (!port.local || !port.neighbor) {
        return "The tool shows one end only, and Ethernet ports cannot send each other reasons: read the neighbour, "
               "too.";
    }
    const auto ldr = port.local->canonical;
    const auto nldr = port.neighbor->canonical;
    if (ldr > 0xff || nldr > 0xff) {
        return "A code is unknown or ambiguous: the registers do not show which end took the link down.";
    }
    return account_of(static_cast<std::uint8_t>(ldr), static_cast<std::uint8_t>(nldr));
}

}  // namespace petrel::link

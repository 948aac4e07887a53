// Why links go down: the vocabulary of codes 0..255 that the two ends of a link exchange, as one table. All other code
// refers to a reason by its number. Texts are for display and are never parsed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petrel::link {

// The codes that the program handles specially. All others are only passed on.
inline constexpr std::uint8_t kNoReason = 0;
inline constexpr std::uint8_t kUnknownReason = 33;
inline constexpr std::uint8_t kReboot = 35;
inline constexpr std::uint8_t kNeighborUnknown = 36;
inline constexpr std::uint8_t kManagerBounce = 39;
inline constexpr std::uint8_t kSpeedPolicy = 40;
inline constexpr std::uint8_t kWidthPolicy = 41;
inline constexpr std::uint8_t kSwitchManagement = 60;
inline constexpr std::uint8_t kManagerDisabled = 61;

// The kind of a cause. The causes of taxonomy.hpp use the same kinds.
enum class CauseClass : std::uint8_t {
    none,
    port_error_action,  // a port error that the PortErrorAction mask turns into a bounce
    local_unknown,
    intentional,
    peer_unknown,
    offline_disabled,  // the port went to Offline or Disabled, and stays there
    reserved,
    phy,
    bringup,
    media,
    power_thermal,
    admin,
    link_layer,
    flow_control,
    peer_signalled,
    internal,
    unclassified
};
std::string_view name(CauseClass);

enum class Intent : std::uint8_t { not_applicable, unknown, yes, no };
std::string_view name(Intent);

struct Reason {
    std::uint8_t code{};
    std::string_view symbol;  // "FM_BOUNCE"; empty for a reserved code
    std::string_view text;    // "FM Bounce"; "Unknown code" for a reserved one
    CauseClass cause_class{CauseClass::reserved};
    Intent intent{Intent::unknown};
    bool local_only{};  // never sent to the neighbour
    std::string_view meaning;
    std::string_view set_by;
    std::string_view advice;

    bool known() const { return !symbol.empty(); }
};

const Reason& reason(std::uint8_t code);

std::string code_text(std::uint8_t code);  // "39 FM Bounce"

}  // namespace petrel::link

// The settings of a network interface that a treatment changes, and what a treatment makes of them. All but read() and
// write() is pure.
//
//   treatment  | PFC                                     | pause of the link | interface
//   mute_pause | off for the priorities that are stuck   | not sent          | as it is
//   port_down  | as it is                                | as it is          | down
//
// dcbnl has one bit of a priority for both directions, so a muted priority does not honour pause either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "device/device.hpp"
#include "device/linux/kernel.hpp"

namespace petrel::device::linux_nic {

// None: the driver does not have it.
struct NicSettings {
    std::optional<Pfc> pfc;
    std::optional<LinkPause> pause;
    bool enabled{true};

    bool may_pause() const { return (pfc && pfc->enabled != 0) || (pause && pause->sends); }
    bool operator==(const NicSettings&) const = default;
};

Result<NicSettings> read_settings(Kernel&, const std::string& interface);

// Writes only what differs: on some NICs each write interrupts the link. Succeeds only if the driver then shows the
// wanted settings.
Result<void> write_settings(Kernel&, const std::string& interface, const NicSettings& now, const NicSettings& wanted);

// One treatment of an interface, from what it overwrites to what it should be.
class NicTreatment {
public:
    // The settings of an interface that is not treated.
    void see_usual(const NicSettings& usual) { usual_ = usual; }
    // `stuck`: the priorities to mute; none of those with PFC: all of them.
    Undo to_undo(watchdog::Treatment, std::uint8_t stuck) const;
    Result<void> command(watchdog::Treatment, const Undo&);
    // Also mutes the other priorities.
    void mute_all() { muted_ = 0xff; }

    watchdog::Treatment want() const { return want_; }
    std::uint8_t muted() const { return muted_; }  // bit p: priority p
    NicSettings wanted(const NicSettings& now) const;
    // What the settings show; a treatment that is half done or half undone shows as ignore_pause.
    watchdog::Treatment shown_by(const NicSettings& now) const;

private:
    NicSettings usual_;
    std::uint8_t muted_{0xff};
    bool closed_{};  // this treatment, or the one before it, takes the interface down
    watchdog::Treatment want_{};
};

}  // namespace petrel::device::linux_nic

// Simulates one link: two ends, the wire between them, and the manager of both. Each event of a script is complete: all
// windows that it opened are closed at its end.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "link/link_keeper.hpp"
#include "link/link_script.hpp"

namespace petrel::link {

class LinkPlay {
public:
    // Both ends are Active, with all registers 0.
    LinkPlay() = default;

    // Returns why the event was ignored, if it was. Read and Log change nothing here: the caller prints the state for
    // them.
    std::optional<std::string> act(const ScriptEvent&);

    // Restarts the manager with only the histories that it saved.
    void restart_manager(const PortHistory& a, const PortHistory& b);

    LinkReading read(Side) const;
    const PortHistory& history(Side);
    std::uint64_t ignored_errors(Side) const;

private:
    using Ignored = std::optional<std::string>;

    Ignored on(const Down&);
    Ignored on(const DownBoth&);
    Ignored on(const Loss&);
    Ignored on(const PowerLoss&);
    Ignored on(const Up&);
    Ignored on(const Arm&);
    Ignored on(const Activate&);
    Ignored on(const TrainingFailure&);
    Ignored on(const Receive&);
    Ignored on(const LateReason&);
    Ignored on(const Write&);
    Ignored on(const PortError&);
    Ignored on(const Mask&);
    Ignored on(const Sweep&);
    Ignored on(const ManagerRestart&);
    Ignored on(const Read&) { return std::nullopt; }
    Ignored on(const Log&) { return std::nullopt; }

    LinkEnd& end(Side side) { return ends_[static_cast<std::size_t>(side)]; }
    const LinkEnd& end(Side side) const { return ends_[static_cast<std::size_t>(side)]; }
    bool up() const;
    Ignored because_of_state() const;
    PortReport report(Side) const;
    void reach(Side, const std::optional<std::uint8_t>& reason);
    void settle();

    std::array<LinkEnd, 2> ends_{LinkEnd{LinkState::active}, LinkEnd{LinkState::active}};
    // A script tests registers: bounces are not limited, so the flap guard is off.
    LinkKeeper keeper_{FlapPolicy{std::chrono::seconds::zero(), 0}};
    WallTime now_{};  // the time of the last sweep; no other script event has a time
};

}  // namespace petrel::link

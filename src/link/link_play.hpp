// One link acted out: two ends, the wire between them, and a manager that looks after both. An event of a script
// happens as a whole: all windows it opened are closed when it is over.
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

    // Why the event was ignored, if it was. Read and Log are for whoever shows things: they change nothing here.
    std::optional<std::string> act(const ScriptEvent&);

    // The manager is back, with nothing but what it had saved.
    void restart_manager(const PortHistory& a, const PortHistory& b);

    LinkReading read(Side) const;
    const PortHistory& history(Side);
    std::uint64_t errors_let_pass(Side) const;

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
    void reach(Side, const std::optional<std::uint8_t>& word);
    void settle();

    std::array<LinkEnd, 2> ends_{LinkEnd{LinkState::active}, LinkEnd{LinkState::active}};
    // A script is about registers; it may bounce its link as often as it likes.
    LinkKeeper keeper_{FlapPolicy{std::chrono::seconds::zero(), 0}};
    WallTime now_{};  // of the last sweep: nothing else in a script tells the time
};

}  // namespace petrel::link

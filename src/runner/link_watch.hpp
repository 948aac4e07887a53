// The links of one device: follows what the device reports (link/link_follower.hpp) and stores every change before it
// is announced. For devices that do not report their links it does nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/report.hpp"
#include "link/link_follower.hpp"
#include "runner/link_memory.hpp"
#include "runner/memory.hpp"
#include "watchdog/event.hpp"

namespace petrel::runner {

class LinkWatch {
public:
    explicit LinkWatch(std::unique_ptr<LinkMemory>);  // null: nothing is stored

    const std::string& damage() const { return damage_; }

    struct Followed {
        std::vector<link::LinkChange> changes;  // without those of ports that are seen for the first time
        Result<void> stored;
    };
    Followed follow(std::span<const link::LinkSample>, WallTime now);

    // The changes in the history that are not among the published events: their process died in between. Changes before
    // the oldest of these events are left out, because their events may have been dropped.
    std::vector<link::LinkChange> unpublished(const std::deque<StoredEvent>& published);

    // For the event of a change.
    watchdog::LinkReason reason_of(const link::LinkChange&) const;

    // How many events this acknowledges. Fails if the port is unknown, or has no such event to acknowledge.
    Result<std::size_t> acknowledge(const std::string& port, std::uint64_t seq);

    // All links, or the link of one port; without `history`, the events are left out.
    std::vector<control::LinkReport> report(const std::string& device, const std::string& port, bool history,
                                            WallTime now);

private:
    Result<void> store(const std::string& lines);

    std::unique_ptr<LinkMemory> memory_;
    std::string damage_;
    link::LinkFollower follower_;
};

// "event 3: 36 Neighbor Unknown (sai.port_error 0x800 = 0x0103 PHY_SIGNAL_LOSS)"
std::string down_text(const link::DownEvent&);

}  // namespace petrel::runner

// The events that an agent left in its state folder, for `petrel events` while no agent runs. Only reads, and takes no
// lock.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "daemon/event_history.hpp"

namespace petrel::daemon {

struct StoredEvents {
    EventHistory::Lines lines;
    std::vector<std::string> notes;  // files that are damaged
};

// The last events that a request for events wants, in the order of time. An error if the folder has no file of its
// device, or of any.
Result<StoredEvents> stored_events(const std::filesystem::path& state_dir, const control::ControlRequest&);

}  // namespace petrel::daemon

// The events that an agent left in its state folder, for `petrel events` while no agent runs. Only reads, and takes no
// lock.
#pragma once

#include <cstddef>
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

// The last events of one device, or of all devices if `device` is empty, in the order of time; 0 = all events. An error
// if the folder has no file of the device, or of any.
Result<StoredEvents> stored_events(const std::filesystem::path& state_dir, const std::string& device, std::size_t last);

}  // namespace petrel::daemon

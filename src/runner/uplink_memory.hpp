// What the uplink keeps over a restart of the agent: what its manager has acknowledged, and samples that wait for it.
// In the service these are files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "uplink/stored.hpp"

namespace petrel::runner {

// Contract: acknowledged() is called in the loop and has_samples() by any thread, all else by jobs of one worker.
class UplinkMemory {
public:
    virtual ~UplinkMemory() = default;

    // As it was when the process started.
    virtual const uplink::Acknowledged& acknowledged() const = 0;
    virtual Result<void> save(const uplink::Acknowledged&) = 0;

    // Lines of reports with samples. True: the oldest were dropped, because there was no room.
    virtual Result<bool> append_samples(std::string_view line) = 0;
    // The oldest line that is not sent yet.
    virtual std::optional<std::string> next_samples() = 0;
    virtual void samples_sent() = 0;  // that line
    virtual bool has_samples() const = 0;
};

}  // namespace petrel::runner

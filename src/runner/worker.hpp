// Runs the blocking calls of one device, one after the other, outside the loop. A call may take long or never return.
// In the service it is a thread, in the lab a queue of simulated delays.
//
// Contract: add() is called in the loop's thread. The destructor waits for the job under way and drops the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/time.hpp"

namespace petrel::runner {

// The room of a device's worker: a look, a command for every site that may need one at the same time, and some more.
inline constexpr std::size_t kMostJobs = 1024;

// The purpose of a job. A simulated worker gives each kind its own duration.
enum class JobKind : std::uint8_t { open, gather, look, command, other };

class Worker {
public:
    virtual ~Worker() = default;

    // False: the worker has no room for more waiting jobs, and refuses this one.
    [[nodiscard]] virtual bool add(JobKind, std::function<void()>) = 0;

    // Runs the job once, when the file descriptor is readable and no other job waits or runs. Replaces the former
    // request; -1 takes it back. Only a job of this worker may call it. The caller takes the request back before it
    // closes the descriptor. A worker in simulated time does nothing: files have no simulated time.
    virtual void when_readable(int fd, std::function<void()>) = 0;

    // When the job under way began; none if no job runs. The job itself may call it, too.
    virtual std::optional<Instant> busy_since() const = 0;
};

}  // namespace petrel::runner

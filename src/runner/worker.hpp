// What does the blocking calls of one device, one after the other, beside the loop. A call may take long or never
// return. In the service it is a thread, in the lab a queue of simulated delays.
//
// Contract: add() belongs to the loop's thread. The destructor waits for the job under way and drops the
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/time.hpp"

namespace petrel::runner {

// A look, a command for every site that may want one at once, and some more.
inline constexpr std::size_t kMostJobs = 1024;

// What a job is for: a simulated worker gives each kind its own duration.
enum class JobKind : std::uint8_t { open, gather, look, command, other };

class Worker {
public:
    virtual ~Worker() = default;

    // False: kMostJobs wait already, and this one is not taken.
    [[nodiscard]] virtual bool add(JobKind, std::function<void()>) = 0;

    // When the job under way began; none if there is none. Also from the job itself.
    virtual std::optional<Instant> busy_since() const = 0;
};

}  // namespace petrel::runner

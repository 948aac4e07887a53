// The worker of a runner as a thread.
#pragma once

#include <functional>
#include <utility>

#include "runner/worker.hpp"
#include "runtime/job_thread.hpp"

namespace petrel::runtime {

class WorkerThread final : public runner::Worker {
public:
    bool add(runner::JobKind, std::function<void()> job) override { return thread_.add(std::move(job)); }
    std::optional<Instant> busy_since() const override { return thread_.busy_since(); }

private:
    JobThread thread_{runner::kMostJobs};
};

}  // namespace petrel::runtime

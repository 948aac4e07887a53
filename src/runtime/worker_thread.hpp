// A runner's worker as a thread of its own.
#pragma once

#include <functional>
#include <utility>

#include "runner/worker.hpp"
#include "runtime/job_thread.hpp"

namespace petrel::runtime {

class WorkerThread final : public runner::Worker {
public:
    bool add(runner::JobKind, std::function<void()> job) override { return thread_.add(std::move(job)); }
    Duration busy_for() const override
    {
        const auto since = thread_.busy_since();
        return since ? SystemClock{}.now().mono - *since : Duration{};
    }

private:
    JobThread thread_{runner::kMostJobs};
};

}  // namespace petrel::runtime

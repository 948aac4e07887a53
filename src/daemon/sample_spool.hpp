// Samples of queues that wait on disk while the manager is away: lines of a report in two files, manager.samples and,
// before it, manager.samples.1. When both are full the older one goes. The files survive the process. A line that was
// sent before its process died is sent again: the manager has each sample once.
//
// Contract: one thread at a time; empty() may be called by any thread. The folder outlives the object.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::daemon {

class SampleSpool {
public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;  // of both files

    explicit SampleSpool(const runtime::StateFolder&, std::uint64_t most_bytes = kMostBytes);

    // True: the oldest samples were dropped.
    Result<bool> append(std::string_view line);
    // The oldest line that is not sent yet, without the line feed.
    std::optional<std::string> next();
    void sent();  // that line
    bool empty() const { return empty_; }

private:
    std::optional<std::string> line_in(const char* name) const;
    Result<void> open_newest();
    std::uint64_t size_of(const char* name) const;

    const runtime::StateFolder& folder_;
    std::uint64_t most_bytes_;
    runtime::FileDescriptor newest_;  // not open: it does not exist, or nothing was appended yet
    std::uint64_t read_to_{};         // of the oldest file
    std::uint64_t size_of_next_{};    // of the line that next() returned
    std::atomic<bool> empty_{};
};

}  // namespace petrel::daemon

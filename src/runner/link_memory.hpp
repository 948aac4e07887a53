// The link histories of a device, which outlive the process: lines of codec/link_history.hpp in a file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "link/history.hpp"

namespace petrel::runner {

// Contract: all calls are made in the loop.
class LinkMemory {
public:
    virtual ~LinkMemory() = default;

    // What earlier processes have stored.
    virtual const link::NamedHistories& remembered() const = 0;
    // Describes what was wrong when it was read; empty if nothing was.
    virtual const std::string& damage() const = 0;

    // Appends lines. Once it has succeeded, they survive the death of the process. If the whole file has to be
    // written (it is lost, a write failed, it has grown), it gets the text that `whole` returns.
    virtual Result<void> append(std::string_view lines, const std::function<std::string()>& whole) = 0;
};

}  // namespace petrel::runner

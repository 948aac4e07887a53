// A helper program that stands for a device, as lines of text: Petrel sends requests, the helper sends answers and
// other lines (docs/device-exec.md). In the agent it is a child process (runtime/helper_process.hpp).
//
// Contract: one thread. A failure is final: the helper has ended, has not sent a line in time, or has sent too long a
// line. Then every later call fails, too, except the destructor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace petrel::device::exec {

class Helper {
public:
    virtual ~Helper() = default;  // ends the helper

    virtual void set_deadline(Duration from_now) = 0;  // for the calls that wait: send(), receive(), finish()
    virtual Result<void> send(std::string_view line) = 0;
    virtual Result<std::string> receive() = 0;                         // the next line, without its newline
    virtual Result<std::optional<std::string>> receive_at_once() = 0;  // none: no whole line has arrived yet
    virtual int fd() const = 0;                                        // readable if receive_at_once() has news
    virtual Result<void> finish() = 0;  // closes its input and waits for its end; it must end with exit code 0
    virtual void kill() = 0;            // does not close fd()
};

using StartHelper = std::function<Result<std::unique_ptr<Helper>>()>;

}  // namespace petrel::device::exec

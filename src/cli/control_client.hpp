// A client of the agent's control socket. Waits, but not for ever: an agent that hangs is told from one that is dead.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "codec/control_report.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::cli {

// As given by a flag; else by PETREL_CONTROL_SOCKET; else where an agent usually listens.
std::filesystem::path control_socket(const std::string& flag);

class ControlClient {
public:
    // Connects and sends the request. Errors tell people what to do: start the agent, join the group.
    static Result<ControlClient> ask(const std::filesystem::path& socket, const codec::ControlRequest&);

    // The next line of the answer; none = the agent has closed. Of a follower's lines the next may be a long time off.
    Result<std::optional<std::string>> line(bool may_take_long = false);

private:
    ControlClient(std::filesystem::path socket, runtime::FileDescriptor file)
        : socket_(std::move(socket)), file_(std::move(file))
    {}

    Result<void> send(std::string_view text);
    Result<void> wait_for(short events, std::chrono::steady_clock::time_point end) const;

    std::filesystem::path socket_;
    runtime::FileDescriptor file_;
    std::string read_;
    std::size_t searched_{};
};

// The one line that answers a request.
Result<std::string> ask_agent(const std::filesystem::path& socket, const codec::ControlRequest&);

}  // namespace petrel::cli

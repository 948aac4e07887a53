// A client of the agent's control socket. All waits have a time limit: a hanging agent and a dead one give different
// errors.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "control/request.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::cli {

inline constexpr auto kUsualSocket = "/run/petrel/control.sock";

// The path from the flag, else from PETREL_CONTROL_SOCKET, else `otherwise`.
std::filesystem::path control_socket(const std::string& flag, const std::filesystem::path& otherwise = kUsualSocket);

class ControlClient {
public:
    // Connects and sends the request. Errors include what the user can do: start the agent, join the group.
    static Result<ControlClient> send(const std::filesystem::path& socket, const control::ControlRequest&);

    // The next line of the answer; none = the agent has closed the connection. `may_take_long`: wait without limit, for
    // a client that follows events.
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

// Sends a request and returns its one-line answer.
Result<std::string> request_answer(const std::filesystem::path& socket, const control::ControlRequest&);

}  // namespace petrel::cli

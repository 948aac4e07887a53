#include "cli/agent/control_client.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include "codec/control_json.hpp"
#include "runtime/control_server.hpp"
#include "runtime/local_socket.hpp"

namespace petrel::cli {
namespace {

constexpr int kPatienceSeconds = 15;
constexpr std::size_t kLongestLine = std::size_t{256} * 1024 * 1024;
constexpr int kConnectAgain_ms = 10;

std::string allowed_users(const std::filesystem::path& socket)
{
    struct stat found{};
    if (::stat(socket.c_str(), &found) != 0) {
        return "root and the agent's group may";
    }
    const auto* group = ::getgrgid(found.st_gid);
    return fmt::format("root and group '{}' may",
                       group != nullptr ? group->gr_name : fmt::format("{}", found.st_gid).c_str());
}

Error cannot_connect(const std::filesystem::path& socket, int why)
{
    const auto path = socket.string();
    switch (why) {
    case ENOENT:
    case ENOTDIR:
    case ECONNREFUSED:
        return {ErrorKind::unreachable,
                fmt::format("no agent answers at {}: is it running? (systemctl status petrel-agent; on a server: "
                            "petrel-host)",
                            path)};
    case EACCES:
    case EPERM:
        return {ErrorKind::denied, fmt::format("you may not use the agent at {}: {}", path, allowed_users(socket))};
    case EAGAIN:
        return {ErrorKind::timed_out, fmt::format("the agent at {} hangs: it has not accepted a connection within {} s",
                                                  path, kPatienceSeconds)};
    default:
        return {ErrorKind::unreachable,
                fmt::format("cannot reach the agent at {}: {}", path, std::generic_category().message(why))};
    }
}

using Clock = std::chrono::steady_clock;

Clock::time_point patience_ends() { return Clock::now() + std::chrono::seconds{kPatienceSeconds}; }

// While the backlog is full, connect() fails with EAGAIN; there is no event to wait for.
Result<runtime::FileDescriptor> connect_to(const std::filesystem::path& socket)
{
    const auto address = runtime::local_address(socket);
    if (!address) {
        return tl::unexpected(address.error());
    }
    for (const auto end = patience_ends();; ::poll(nullptr, 0, kConnectAgain_ms)) {
        auto file = runtime::local_socket();
        if (!file) {
            return file;
        }
        const int why = runtime::connect_local(*file, *address);
        if (why == 0) {
            return file;
        }
        if (why != EAGAIN || Clock::now() >= end) {
            return tl::unexpected(cannot_connect(socket, why));
        }
    }
}

// Root tries its own socket first. Agents of earlier versions do not have one.
Result<runtime::FileDescriptor> connect_as_user(const std::filesystem::path& socket)
{
    if (::geteuid() == 0) {
        auto file = connect_to(runtime::root_socket(socket));
        if (file || file.error().kind == ErrorKind::timed_out) {
            return file;
        }
    }
    return connect_to(socket);
}

}  // namespace

std::filesystem::path control_socket(const std::string& flag, const std::filesystem::path& otherwise)
{
    const char* set = std::getenv("PETREL_CONTROL_SOCKET");
    return !flag.empty()                    ? std::filesystem::path{flag}
           : set != nullptr && *set != '\0' ? std::filesystem::path{set}
                                            : otherwise;
}

Result<ControlClient> ControlClient::send(const std::filesystem::path& socket, const control::ControlRequest& request)
{
    auto file = connect_as_user(socket);
    if (!file) {
        return tl::unexpected(file.error());
    }
    ControlClient client{socket, std::move(*file)};
    if (const auto sent = client.send(codec::request_json(request) + '\n'); !sent) {
        return tl::unexpected(sent.error());
    }
    return client;
}

Result<void> ControlClient::send(std::string_view text)
{
    const auto end = patience_ends();
    while (!text.empty()) {
        const auto sent = ::send(file_.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            text.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno == EPIPE || errno == ECONNRESET) {
            return {};  // the agent has closed the connection; the answer that it sent before contains the reason
        } else if (const auto ready = wait_for(POLLOUT, end); !ready) {
            return ready;
        }
    }
    return {};
}

Result<std::optional<std::string>> ControlClient::line(bool may_take_long)
{
    std::array<char, 65536> piece;
    const auto end_of_patience = may_take_long ? Clock::time_point::max() : patience_ends();
    for (;;) {
        if (const auto end = read_.find('\n', searched_); end != std::string::npos) {
            auto line = read_.substr(0, end);
            read_.erase(0, end + 1);
            searched_ = 0;
            return line;
        }
        searched_ = read_.size();
        if (searched_ > kLongestLine) {
            return tl::unexpected(Error{
                ErrorKind::corrupt, fmt::format("the program at {} is no agent: it sent a line of more than {} bytes",
                                                socket_.string(), kLongestLine)});
        }
        const auto got = ::recv(file_.get(), piece.data(), piece.size(), 0);
        if (got > 0) {
            read_.append(piece.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || errno == ECONNRESET) {
            return std::nullopt;
        } else if (const auto ready = wait_for(POLLIN, end_of_patience); !ready) {
            return tl::unexpected(ready.error());
        }
    }
}

Result<void> ControlClient::wait_for(short events, Clock::time_point end) const
{
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(std::max(end - Clock::now(), Clock::duration::zero()));
    pollfd file{file_.get(), events, 0};
    if (::poll(&file, 1, end == Clock::time_point::max() ? -1 : static_cast<int>(left.count())) == 0) {
        return tl::unexpected(Error{ErrorKind::timed_out, fmt::format("the agent at {} hangs: no answer within {} s",
                                                                      socket_.string(), kPatienceSeconds)});
    }
    return {};
}

Result<std::string> request_answer(const std::filesystem::path& socket, const control::ControlRequest& request)
{
    auto client = ControlClient::send(socket, request);
    if (!client) {
        return tl::unexpected(client.error());
    }
    auto line = client->line();
    if (!line) {
        return tl::unexpected(line.error());
    }
    if (!*line) {
        return tl::unexpected(
            Error{ErrorKind::unreachable, fmt::format("the agent at {} went away without an answer", socket.string())});
    }
    return std::move(**line);
}

}  // namespace petrel::cli

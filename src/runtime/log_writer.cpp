#include "runtime/log_writer.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "runtime/atomic_file.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::runtime {

namespace {

constexpr int kAWhileMs = 100;

Result<FileDescriptor> connect_to(const std::filesystem::path& path)
{
    sockaddr_un address{};
    const auto& name = path.native();
    if (name.size() >= sizeof(address.sun_path)) {
        return tl::unexpected(file_error("connect to", path, ENAMETOOLONG));
    }
    address.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address.sun_path);
    FileDescriptor made{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (made.get() < 0 || ::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) < 0) {
        return tl::unexpected(file_error("connect to", path, errno));
    }
    return made;
}

Result<FileDescriptor> open_file(const std::filesystem::path& path)
{
    return link_flag(path).and_then([&](int link) {
        // O_NONBLOCK: opening a pipe without a reader must not block.
        return open_path(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | link, kEverybodysFile);
    });
}

// False: `patience` returned false.
bool wait_for_room(const FileDescriptor& in, const LogWriter::Patience& patience)
{
    pollfd target{in.get(), POLLOUT, 0};
    for (;;) {
        const auto ready = ::poll(&target, 1, kAWhileMs);
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            return true;
        }
        if (ready == 0 && !patience()) {
            return false;
        }
    }
}

// Sends the whole line. Returns 0 or an error number.
int send_once(const FileDescriptor& to, std::string_view line, const LogWriter::Patience& patience)
{
    while (::send(to.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        const auto failed = errno;
        if (failed == EAGAIN ? !wait_for_room(to, patience) : failed != EINTR) {
            return failed;
        }
    }
    return 0;
}

struct stat state_of(const FileDescriptor& file)
{
    struct stat state{};
    ::fstat(file.get(), &state);
    return state;
}

}  // namespace

Result<LogWriter> LogWriter::open(const std::filesystem::path& path)
{
    std::error_code absent;
    if (std::filesystem::is_socket(path, absent)) {
        return connect_to(path).map(
            [&](FileDescriptor&& opened) { return LogWriter{path, std::move(opened), Kind::socket}; });
    }
    return open_file(path).map([&](FileDescriptor&& opened) {
        const auto kind = S_ISREG(state_of(opened).st_mode) ? Kind::file : Kind::stream;
        return LogWriter{path, std::move(opened), kind};
    });
}

Result<LogWriter> LogWriter::to_socket(const std::filesystem::path& path)
{
    auto opened = connect_to(path);
    if (!opened && opened.error().kind != ErrorKind::unreachable) {
        return tl::unexpected(std::move(opened.error()));
    }
    return LogWriter{path, opened ? std::move(*opened) : FileDescriptor{}, Kind::socket};
}

Result<LogWriter> LogWriter::to_stderr()
{
    FileDescriptor own{::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)};
    if (own.get() < 0) {
        return tl::unexpected(file_error("open", "stderr", errno));
    }
    return LogWriter{"stderr", std::move(own), Kind::stream};
}

bool LogWriter::is_open_at(std::uint64_t device, std::uint64_t inode) const
{
    const auto state = state_of(target_);
    return state.st_dev == device && state.st_ino == inode;
}

Result<void> LogWriter::write(std::string_view line, const Patience& patience)
{
    return follow_name().and_then(
        [&] { return kind_ == Kind::socket ? send(line, patience) : append(std::string{line} + '\n', patience); });
}

Result<void> LogWriter::send(std::string_view line, const Patience& patience)
{
    const auto failed = target_.get() < 0 ? ENOTCONN : send_once(target_, line, patience);
    if (failed == 0) {
        return {};
    }
    if (failed != ECONNREFUSED && failed != ECONNRESET && failed != ENOTCONN) {
        return tl::unexpected(file_error("write", path_, failed));
    }
    auto anew = connect_to(path_);
    if (!anew) {
        return tl::unexpected(std::move(anew.error()));
    }
    target_ = std::move(*anew);
    const auto still = send_once(target_, line, patience);
    return still == 0 ? Result<void>{} : tl::unexpected(file_error("write", path_, still));
}

// Writes at most PIPE_BUF bytes at a time: a pipe that is ready takes that much without blocking.
Result<void> LogWriter::append(std::string_view line, const Patience& patience)
{
    while (!line.empty()) {
        if (!wait_for_room(target_, patience)) {
            return tl::unexpected(file_error("write", path_, EAGAIN));
        }
        const auto written = ::write(target_.get(), line.data(), std::min<std::size_t>(line.size(), PIPE_BUF));
        if (written < 0 && errno != EINTR && errno != EAGAIN) {
            return tl::unexpected(file_error("write", path_, errno));
        }
        line.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    return {};
}

Result<void> LogWriter::follow_name()
{
    struct stat named{};
    const bool found = kind_ == Kind::file && ::stat(path_.c_str(), &named) == 0;
    if (kind_ != Kind::file || (found && is_open_at(named.st_dev, named.st_ino))) {
        return {};
    }
    if (found && S_ISSOCK(named.st_mode)) {
        return connect_to(path_).map([&](FileDescriptor&& anew) {
            target_ = std::move(anew);
            kind_ = Kind::socket;
        });
    }
    return open_file(path_).map([&](FileDescriptor&& anew) { target_ = std::move(anew); });
}

}  // namespace petrel::runtime

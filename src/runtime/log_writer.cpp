#include "runtime/log_writer.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "runtime/atomic_file.hpp"

namespace petrel::runtime {

namespace {

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

// Sends all of it, or says why not.
int send_once(const FileDescriptor& to, const std::string& line)
{
    while (::send(to.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

Result<void> append(const FileDescriptor& file, const std::filesystem::path& path, std::string_view text)
{
    while (!text.empty()) {
        const auto written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return tl::unexpected(file_error("write", path, errno));
        }
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    return {};
}

}  // namespace

Result<LogWriter> LogWriter::open(const std::filesystem::path& path)
{
    std::error_code absent;
    const bool socket = std::filesystem::is_socket(path, absent);
    auto target = socket ? connect_to(path) : open_path(path, O_WRONLY | O_APPEND | O_CREAT, kEverybodysFile);
    return std::move(target).map([&](FileDescriptor&& opened) { return LogWriter{path, std::move(opened), socket}; });
}

Result<void> LogWriter::write(const wire::LogLine& line)
{
    const auto text = build(line);
    return socket_ ? send(text) : append(target_, path_, text + '\n');
}

Result<void> LogWriter::send(const std::string& line)
{
    const auto failed = send_once(target_, line);
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
    const auto still = send_once(target_, line);
    return still == 0 ? Result<void>{} : tl::unexpected(file_error("write", path_, still));
}

}  // namespace petrel::runtime

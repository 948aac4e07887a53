#include "runtime/local_socket.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace petrel::runtime {
namespace {

const sockaddr* generic(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

}  // namespace

Result<sockaddr_un> local_address(const std::filesystem::path& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto& name = path.native();
    if (name.empty() || name.size() >= sizeof address.sun_path) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("socket '{}': allowed a name of 1..{} bytes", name,
                                                                    sizeof address.sun_path - 1)});
    }
    std::copy(name.begin(), name.end(), std::begin(address.sun_path));
    return address;
}

Result<FileDescriptor> local_socket()
{
    FileDescriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (socket.get() < 0) {
        return tl::unexpected(
            Error{ErrorKind::exhausted, "cannot make a socket: " + std::generic_category().message(errno)});
    }
    return socket;
}

int connect_local(const FileDescriptor& socket, const sockaddr_un& address)
{
    return ::connect(socket.get(), generic(address), sizeof address) == 0 ? 0 : errno;
}

int bind_local(const FileDescriptor& socket, const sockaddr_un& address)
{
    return ::bind(socket.get(), generic(address), sizeof address) == 0 ? 0 : errno;
}

}  // namespace petrel::runtime

// Unix stream sockets with a path, for both ends of the control socket.
#pragma once

#include <sys/un.h>

#include <filesystem>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

// Fails if the path is too long: at most 107 bytes on Linux.
Result<sockaddr_un> local_address(const std::filesystem::path&);

// Both return an error number, 0 = success, and do not wait. EAGAIN from connect: a process listens, but its backlog is
// full.
int connect_local(const FileDescriptor&, const sockaddr_un&);
int bind_local(const FileDescriptor&, const sockaddr_un&);

Result<FileDescriptor> local_socket();

}  // namespace petrel::runtime

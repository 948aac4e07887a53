// Unix stream sockets by the name of a file: what both ends of the control socket need.
#pragma once

#include <sys/un.h>

#include <filesystem>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

// Such names are short: 107 bytes on Linux.
Result<sockaddr_un> local_address(const std::filesystem::path&);

// Does not wait: an error number, 0 = connected. EAGAIN: somebody listens, and too many knock already.
int connect_local(const FileDescriptor&, const sockaddr_un&);
int bind_local(const FileDescriptor&, const sockaddr_un&);

Result<FileDescriptor> local_socket();

}  // namespace petrel::runtime

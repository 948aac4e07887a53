// The socket of a listener, from an address as operators write it: "127.0.0.1:9464", "[::1]:9464",
// "localhost:9464".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::http {

// `purpose`: what clients use the listener for, for messages: "metrics".
Error listen_error(std::string_view purpose, std::string_view host_port, ErrorKind, std::string_view why);

Result<runtime::FileDescriptor> listening_socket(std::string_view purpose, std::string_view host_port);
Result<runtime::FileDescriptor> datagram_socket(std::string_view purpose, std::string_view host_port);  // UDP
std::uint16_t port_of(const runtime::FileDescriptor& listening);  // 0: it has none

// "0.0.0.0:9464", "[::]:9464": clients on any network reach it.
bool open_to_all(std::string_view host_port);
// Only clients on this machine reach it.
bool loopback_only(const runtime::FileDescriptor& listening);

}  // namespace petrel::http

// MAC control frames on a network interface of this machine (AF_PACKET). It is for links of the lab, such as veth pairs
// between network namespaces: most real NICs handle pause frames themselves and show none to a socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"
#include "wire/bytes.hpp"

namespace petrel::runtime {

class PacketSocket {
public:
    static Result<PacketSocket> to_send(const std::string& interface);

    // Receives MAC control frames only, and none that this machine sends on the interface.
    static Result<PacketSocket> to_receive(const std::string& interface);

    const wire::MacAddress& address() const { return address_; }  // of the interface
    int file() const { return file_.get(); }

    Result<void> send(std::span<const std::byte> frame) const;

    // The number of bytes of the next frame, of which those that fit are in `frame`; 0: no frame waits.
    Result<std::size_t> receive(std::span<std::byte> frame) const;

    // Frames since the last call that the kernel discarded because this socket was read too slowly.
    std::uint32_t take_discarded() const;

private:
    PacketSocket(std::string interface, FileDescriptor file) : interface_(std::move(interface)), file_(std::move(file))
    {}

    static Result<PacketSocket> open(const std::string& interface);
    Result<void> bind_to(std::uint16_t protocol) const;
    Error error(std::string_view doing) const;  // of errno

    std::string interface_;
    FileDescriptor file_;
    int index_{};
    wire::MacAddress address_{};
};

}  // namespace petrel::runtime

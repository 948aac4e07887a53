#include "runtime/packet_socket.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace petrel::runtime {
namespace {

constexpr int kReceiveBuffer = 32 << 20;  // some 40,000 pause frames
constexpr std::uint32_t kTypeOffset = 12;
constexpr std::uint32_t kMacControlType = 0x8808;

// Accepts MAC control frames whole and no others. A socket bound to their type would miss those on a bridge port.
std::array<sock_filter, 4> mac_control_filter()
{
    return {{{BPF_LD | BPF_H | BPF_ABS, 0, 0, kTypeOffset},
             {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, kMacControlType},
             {BPF_RET | BPF_K, 0, 0, 0xffff'ffff},
             {BPF_RET | BPF_K, 0, 0, 0}}};
}

}  // namespace

Error PacketSocket::error(std::string_view doing) const
{
    const int number = errno;
    const auto kind = number == EPERM || number == EACCES ? ErrorKind::denied : ErrorKind::unreachable;
    return {kind,
            fmt::format("interface '{}': cannot {}: {}", interface_, doing, std::generic_category().message(number))};
}

Result<PacketSocket> PacketSocket::open(const std::string& interface)
{
    ifreq request{};
    if (interface.empty() || interface.size() >= sizeof request.ifr_name) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("interface '{}': allowed a name of 1..{} bytes",
                                                                    interface, sizeof request.ifr_name - 1)});
    }
    std::ranges::copy(interface, std::begin(request.ifr_name));
    // Protocol 0: nothing is received before the filter is in place.
    PacketSocket socket{interface, FileDescriptor{::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)}};
    if (socket.file() < 0) {
        auto error = socket.error("open a packet socket");
        if (error.kind == ErrorKind::denied) {
            error.what += "; it needs CAP_NET_RAW";
        }
        return tl::unexpected(std::move(error));
    }
    if (::ioctl(socket.file(), SIOCGIFHWADDR, &request) != 0) {
        return tl::unexpected(errno == ENODEV
                                  ? Error{ErrorKind::invalid, fmt::format("interface '{}': there is none of "
                                                                          "this name in this network "
                                                                          "namespace",
                                                                          interface)}
                                  : socket.error("read its address"));
    }
    std::copy_n(std::begin(request.ifr_hwaddr.sa_data), socket.address_.size(), socket.address_.begin());
    socket.index_ = static_cast<int>(::if_nametoindex(interface.c_str()));
    return socket;
}

Result<void> PacketSocket::bind_to(std::uint16_t protocol) const
{
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(protocol);
    address.sll_ifindex = index_;
    if (::bind(file(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return tl::unexpected(error("bind to it"));
    }
    return {};
}

Result<PacketSocket> PacketSocket::to_send(const std::string& interface)
{
    return open(interface).and_then([](PacketSocket socket) {
        const auto bound = socket.bind_to(0);
        return bound ? Result<PacketSocket>{std::move(socket)} : tl::unexpected(bound.error());
    });
}

Result<PacketSocket> PacketSocket::to_receive(const std::string& interface)
{
    auto socket = open(interface);
    if (!socket) {
        return socket;
    }
    auto filter = mac_control_filter();
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    const int on = 1;
    if (::setsockopt(socket->file(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0 ||
        ::setsockopt(socket->file(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0) {
        return tl::unexpected(socket->error("select its MAC control frames"));
    }
    if (::setsockopt(socket->file(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer, sizeof kReceiveBuffer) != 0) {
        // Without CAP_NET_ADMIN the limit of the machine applies. take_discarded() reports a buffer that is too small.
        ::setsockopt(socket->file(), SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer);
    }
    if (const auto bound = socket->bind_to(ETH_P_ALL); !bound) {
        return tl::unexpected(bound.error());
    }
    return socket;
}

Result<void> PacketSocket::send(std::span<const std::byte> frame) const
{
    while (::send(file(), frame.data(), frame.size(), 0) < 0) {
        if (errno != EINTR) {
            return tl::unexpected(error("send a frame"));
        }
    }
    return {};
}

Result<std::size_t> PacketSocket::receive(std::span<std::byte> frame) const
{
    for (;;) {
        const auto bytes = ::recv(file(), frame.data(), frame.size(), MSG_TRUNC);
        if (bytes >= 0) {
            return static_cast<std::size_t>(bytes);
        }
        if (errno == EAGAIN) {
            return std::size_t{0};
        }
        if (errno != EINTR) {
            return tl::unexpected(error("receive frames"));
        }
    }
}

std::uint32_t PacketSocket::take_discarded() const
{
    tpacket_stats statistics{};
    socklen_t size = sizeof statistics;
    return ::getsockopt(file(), SOL_PACKET, PACKET_STATISTICS, &statistics, &size) == 0 ? statistics.tp_drops : 0;
}

}  // namespace petrel::runtime

// The messages that go to the kernel's netlink socket and come back, as bytes. All of it is pure.
//
// A reader gets one datagram. It returns nothing if the datagram does not answer the request with this sequence number:
// an answer to an earlier request may arrive late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/linux/kernel.hpp"

namespace petrel::device::linux_nic {

using Bytes = std::vector<std::byte>;

Bytes link_request(std::uint32_t sequence, std::string_view interface);
Bytes pfc_request(std::uint32_t sequence, std::string_view interface);
Bytes pfc_order(std::uint32_t sequence, std::string_view interface, const Pfc&);

Bytes dcbx_request(std::uint32_t sequence, std::string_view interface);

// ethtool's family of generic netlink. Its number differs from boot to boot.
struct EthtoolFamily {
    std::uint16_t number{};
    std::uint32_t monitor{};  // the group that is notified of changed settings; zero: none
    bool operator==(const EthtoolFamily&) const = default;
};
Bytes family_request(std::uint32_t sequence);
Bytes link_reason_request(std::uint32_t sequence, const EthtoolFamily&, std::string_view interface);
Bytes pause_counts_request(std::uint32_t sequence, const EthtoolFamily&, std::string_view interface);
Bytes control_counts_request(std::uint32_t sequence, const EthtoolFamily&, std::string_view interface);

template <class T>
using Answer = std::optional<Result<T>>;

Answer<LinkState> read_link(std::span<const std::byte> datagram, std::uint32_t sequence);
Answer<Pfc> read_pfc(std::span<const std::byte> datagram, std::uint32_t sequence);
Answer<PfcCounts> read_pfc_counts(std::span<const std::byte> datagram, std::uint32_t sequence);
// The kernel answers an order with a message that has the driver's error in one byte.
Answer<void> read_pfc_result(std::span<const std::byte> datagram, std::uint32_t sequence);

Answer<Dcbx> read_dcbx(std::span<const std::byte> datagram, std::uint32_t sequence);
Answer<EthtoolFamily> read_family(std::span<const std::byte> datagram, std::uint32_t sequence);
Answer<std::optional<LinkReason>> read_link_reason(std::span<const std::byte> datagram, std::uint32_t sequence);
// Each sets its own fields.
Answer<StandardCounts> read_pause_counts(std::span<const std::byte> datagram, std::uint32_t sequence);
Answer<StandardCounts> read_control_counts(std::span<const std::byte> datagram, std::uint32_t sequence);

// A notification about the interface: of links and PFC, or of ethtool's family.
Changes read_changes(std::span<const std::byte> datagram, const std::optional<EthtoolFamily>&,
                     std::string_view interface);

// The names (32 bytes each, ended by a zero if they are shorter) and values that ethtool's ioctls return.
Result<std::vector<Counter>> read_counter_block(std::span<const std::byte> names,
                                                std::span<const std::uint64_t> values);

// An error number of the kernel as an Error, without the interface's name.
Error kernel_error(std::string_view doing, int number);

}  // namespace petrel::device::linux_nic

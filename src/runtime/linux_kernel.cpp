#include "runtime/linux_kernel.hpp"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace petrel::runtime {

using device::linux_nic::Bytes;
using device::linux_nic::Counter;
using device::linux_nic::kernel_error;
using device::linux_nic::LinkPause;
using device::linux_nic::LinkState;
using device::linux_nic::Pfc;

namespace {

constexpr timeval kAnswerWithin{5, 0};
constexpr std::size_t kLongestAnswer = 64 << 10;
constexpr int kReadsOfCounters = 3;  // the number of counters may change between two calls
constexpr std::uint64_t kMegabit = 1'000'000;

Error named(const std::string& interface, Error error)
{
    error.what = fmt::format("interface '{}': {}", interface, error.what);
    return error;
}

Result<ifreq> request_for(const std::string& interface)
{
    ifreq request{};
    if (interface.empty() || interface.size() >= sizeof request.ifr_name) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("interface '{}': allowed a name of 1..{} bytes",
                                                                    interface, sizeof request.ifr_name - 1)});
    }
    std::ranges::copy(interface, std::begin(request.ifr_name));
    return request;
}

// ethtool's structs end in arrays of any length: this is one such struct with its array.
class Block {
public:
    Block(std::size_t header, std::size_t data)
        : header_(header), words_((header + data + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t))
    {}
    std::byte* bytes() { return reinterpret_cast<std::byte*>(words_.data()); }
    template <class Header>
    void put(const Header& header)
    {
        std::memcpy(bytes(), &header, sizeof header);
    }
    template <class Header>
    Header get()
    {
        Header header;
        std::memcpy(&header, bytes(), sizeof header);
        return header;
    }
    std::byte* data() { return bytes() + header_; }

private:
    std::size_t header_;
    std::vector<std::uint64_t> words_;
};

struct SetSize {
    std::uint32_t command{};
    std::uint32_t reserved{};
    std::uint64_t mask{};
    std::uint32_t count{};
};

struct StringsHeader {
    std::uint32_t command{};
    std::uint32_t set{};
    std::uint32_t count{};
};

struct StatsHeader {
    std::uint32_t command{};
    std::uint32_t count{};
};

}  // namespace

Result<LinuxKernel> LinuxKernel::open()
{
    FileDescriptor netlink{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
    FileDescriptor ioctls{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (netlink.get() < 0 || ioctls.get() < 0 ||
        ::setsockopt(netlink.get(), SOL_SOCKET, SO_RCVTIMEO, &kAnswerWithin, sizeof kAnswerWithin) != 0) {
        return tl::unexpected(kernel_error("open the kernel's sockets for network interfaces", errno));
    }
    return LinuxKernel{std::move(netlink), std::move(ioctls)};
}

Result<void> LinuxKernel::ethtool(const std::string& interface, std::string_view doing, void* data) const
{
    return request_for(interface).and_then([&](ifreq request) -> Result<void> {
        request.ifr_data = static_cast<char*>(data);
        if (::ioctl(ioctls_.get(), SIOCETHTOOL, &request) != 0) {
            return tl::unexpected(named(interface, kernel_error(doing, errno)));
        }
        return {};
    });
}

template <class T, class Read>
Result<T> LinuxKernel::ask(const std::string& interface, const Bytes& request, Read read)
{
    if (auto sound = request_for(interface); !sound) {
        return tl::unexpected(sound.error());
    }
    constexpr std::string_view kDoing = "talk to the kernel";
    if (::send(netlink_.get(), request.data(), request.size(), 0) < 0) {
        return tl::unexpected(named(interface, kernel_error(kDoing, errno)));
    }
    datagram_.resize(kLongestAnswer);
    for (;;) {
        const auto size = ::recv(netlink_.get(), datagram_.data(), datagram_.size(), 0);
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size < 0) {
            return tl::unexpected(named(interface, kernel_error(kDoing, errno)));
        }
        if (auto answer = read(std::span{datagram_}.first(static_cast<std::size_t>(size)), sequence_)) {
            return answer->map_error([&](const Error& error) { return named(interface, error); });
        }
    }
}

Result<std::vector<std::string>> LinuxKernel::interfaces()
{
    auto* list = ::if_nameindex();
    if (list == nullptr) {
        return tl::unexpected(kernel_error("list the network interfaces", errno));
    }
    std::vector<std::string> names;
    for (const auto* one = list; one->if_index != 0; ++one) {
        names.emplace_back(one->if_name);
    }
    ::if_freenameindex(list);
    return names;
}

Result<std::string> LinuxKernel::driver(const std::string& interface)
{
    ethtool_drvinfo info{};
    info.cmd = ETHTOOL_GDRVINFO;
    return ethtool(interface, "read its driver", &info).map([&] {
        return std::string{info.driver, ::strnlen(info.driver, sizeof info.driver)};
    });
}

Result<BitRate> LinuxKernel::speed(const std::string& interface)
{
    ethtool_cmd settings{};
    settings.cmd = ETHTOOL_GSET;
    return ethtool(interface, "read its speed", &settings).map([&] {
        const auto megabits = ethtool_cmd_speed(&settings);
        const bool known = megabits != static_cast<std::uint32_t>(SPEED_UNKNOWN);
        return BitRate{known ? megabits * kMegabit : 0};
    });
}

Result<LinkState> LinuxKernel::link(const std::string& interface)
{
    return ask<LinkState>(interface, device::linux_nic::link_request(++sequence_, interface),
                          device::linux_nic::read_link);
}

Result<Pfc> LinuxKernel::pfc(const std::string& interface)
{
    return ask<Pfc>(interface, device::linux_nic::pfc_request(++sequence_, interface), device::linux_nic::read_pfc);
}

Result<void> LinuxKernel::set_pfc(const std::string& interface, const Pfc& pfc)
{
    return ask<void>(interface, device::linux_nic::pfc_order(++sequence_, interface, pfc),
                     device::linux_nic::read_pfc_result);
}

Result<LinkPause> LinuxKernel::pause(const std::string& interface)
{
    ethtool_pauseparam pause{};
    pause.cmd = ETHTOOL_GPAUSEPARAM;
    return ethtool(interface, "read pause", &pause).map([&] {
        return LinkPause{pause.autoneg != 0, pause.rx_pause != 0, pause.tx_pause != 0};
    });
}

Result<void> LinuxKernel::set_pause(const std::string& interface, const LinkPause& pause)
{
    ethtool_pauseparam set{ETHTOOL_SPAUSEPARAM, pause.autoneg ? 1U : 0U, pause.receives ? 1U : 0U,
                           pause.sends ? 1U : 0U};
    return ethtool(interface, "set pause", &set);
}

Result<void> LinuxKernel::read_counters_once(const std::string& interface)
{
    constexpr std::string_view kDoing = "read its counters";
    SetSize size{ETHTOOL_GSSET_INFO, 0, 1U << ETH_SS_STATS, 0};
    if (auto read = ethtool(interface, kDoing, &size); !read) {
        return tl::unexpected(read.error());
    }
    if (size.mask == 0) {
        counters_.clear();
        names_.clear();
        return {};
    }
    // The driver may have more counters by now and writes all of them: leave room for twice as many.
    const std::size_t room = std::size_t{2} * size.count;
    Block names{sizeof(StringsHeader), room * ETH_GSTRING_LEN};
    Block values{sizeof(StatsHeader), room * sizeof(std::uint64_t)};
    names.put(StringsHeader{ETHTOOL_GSTRINGS, ETH_SS_STATS, size.count});
    values.put(StatsHeader{ETHTOOL_GSTATS, size.count});
    if (auto read = ethtool(interface, kDoing, names.bytes()); !read) {
        return tl::unexpected(read.error());
    }
    if (auto read = ethtool(interface, kDoing, values.bytes()); !read) {
        return tl::unexpected(read.error());
    }
    const auto named_count = names.get<StringsHeader>().count;
    const auto count = values.get<StatsHeader>().count;
    if (named_count != count || count > room) {
        return tl::unexpected(named(interface, kernel_error(kDoing, EAGAIN)));
    }
    std::vector<std::uint64_t> numbers(count);
    std::memcpy(numbers.data(), values.data(), count * sizeof(std::uint64_t));
    const std::span block{names.data(), std::size_t{count} * ETH_GSTRING_LEN};
    if (std::ranges::equal(block, names_)) {
        for (std::size_t i = 0; i != count; ++i) {
            counters_[i].value = numbers[i];
        }
        return {};
    }
    return device::linux_nic::read_counter_block(block, numbers).map([&](std::vector<Counter>&& read) {
        names_.assign(block.begin(), block.end());
        counters_ = std::move(read);
    });
}

Result<std::span<const Counter>> LinuxKernel::counters(const std::string& interface)
{
    for (int reads = 1;; ++reads) {
        const auto read = read_counters_once(interface);
        if (read || read.error().kind != ErrorKind::timed_out || reads == kReadsOfCounters) {
            return read.map([&] { return std::span<const Counter>{counters_}; });
        }
    }
}

}  // namespace petrel::runtime

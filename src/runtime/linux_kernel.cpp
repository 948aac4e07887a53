#include "runtime/linux_kernel.hpp"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

namespace petrel::runtime {

using device::linux_nic::Bytes;
using device::linux_nic::Changes;
using device::linux_nic::Counter;
using device::linux_nic::Dcbx;
using device::linux_nic::EthtoolFamily;
using device::linux_nic::kernel_error;
using device::linux_nic::LinkPause;
using device::linux_nic::LinkReason;
using device::linux_nic::LinkState;
using device::linux_nic::Pfc;
using device::linux_nic::PfcCounts;
using device::linux_nic::PortSharing;
using device::linux_nic::Prevention;
using device::linux_nic::StandardCounts;

namespace {

constexpr timeval kAnswerWithin{5, 0};
constexpr std::size_t kLongestAnswer = 64 << 10;
constexpr int kMostNotificationsTaken = 1000;  // at once; the others wait for the next call
constexpr int kReadsOfCounters = 3;            // the number of counters may change between two calls
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

// The tunable as the kernel expects it: its value follows the header.
Block prevention_tunable(std::uint32_t command, std::uint16_t ms)
{
    ethtool_tunable header{};
    header.cmd = command;
    header.id = ETHTOOL_PFC_PREVENTION_TOUT;
    header.type_id = ETHTOOL_TUNABLE_U16;
    header.len = sizeof ms;
    Block tunable{sizeof header, sizeof ms};
    tunable.put(header);
    std::memcpy(tunable.data(), &ms, sizeof ms);
    return tunable;
}

// The kernel accepts a group only from a socket that is bound.
bool joins(const FileDescriptor& socket, std::initializer_list<std::uint32_t> groups)
{
    sockaddr_nl any{};
    any.nl_family = AF_NETLINK;
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) {
        return false;
    }
    return std::ranges::all_of(groups, [&](std::uint32_t group) {
        return ::setsockopt(socket.get(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) == 0;
    });
}

std::optional<std::string> first_line(const std::filesystem::path& file)
{
    std::ifstream in{file};
    std::string line;
    return std::getline(in, line) ? std::optional{line} : std::nullopt;
}

}  // namespace

Result<LinuxKernel> LinuxKernel::open()
{
    FileDescriptor netlink{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
    FileDescriptor ethtool{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC)};
    FileDescriptor ioctls{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    const auto answers = [](const FileDescriptor& socket) {
        return socket.get() >= 0 &&
               ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kAnswerWithin, sizeof kAnswerWithin) == 0;
    };
    if (!answers(netlink) || !answers(ethtool) || ioctls.get() < 0) {
        return tl::unexpected(kernel_error("open the kernel's sockets for network interfaces", errno));
    }
    return LinuxKernel{std::move(netlink), std::move(ethtool), std::move(ioctls)};
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
Result<T> LinuxKernel::ask(const FileDescriptor& socket, const std::string& interface, const Bytes& request, Read read)
{
    if (auto sound = request_for(interface); !sound) {
        return tl::unexpected(sound.error());
    }
    constexpr std::string_view kDoing = "talk to the kernel";
    if (::send(socket.get(), request.data(), request.size(), 0) < 0) {
        return tl::unexpected(named(interface, kernel_error(kDoing, errno)));
    }
    datagram_.resize(kLongestAnswer);
    for (;;) {
        const auto size = ::recv(socket.get(), datagram_.data(), datagram_.size(), 0);
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
    return ask<LinkState>(netlink_, interface, device::linux_nic::link_request(++sequence_, interface),
                          device::linux_nic::read_link);
}

Result<Pfc> LinuxKernel::pfc(const std::string& interface)
{
    return ask<Pfc>(netlink_, interface, device::linux_nic::pfc_request(++sequence_, interface),
                    device::linux_nic::read_pfc);
}

Result<PfcCounts> LinuxKernel::pfc_counts(const std::string& interface)
{
    return ask<PfcCounts>(netlink_, interface, device::linux_nic::pfc_request(++sequence_, interface),
                          device::linux_nic::read_pfc_counts);
}

Result<void> LinuxKernel::set_pfc(const std::string& interface, const Pfc& pfc)
{
    return ask<void>(netlink_, interface, device::linux_nic::pfc_order(++sequence_, interface, pfc),
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

Result<void> LinuxKernel::set_enabled(const std::string& interface, bool enabled)
{
    return request_for(interface).and_then([&](ifreq request) -> Result<void> {
        const auto* const doing = enabled ? "take it up" : "take it down";
        if (::ioctl(ioctls_.get(), SIOCGIFFLAGS, &request) != 0) {
            return tl::unexpected(named(interface, kernel_error(doing, errno)));
        }
        const auto flags = static_cast<unsigned short>(request.ifr_flags);
        const auto set = static_cast<unsigned short>(enabled ? flags | IFF_UP : flags & ~unsigned{IFF_UP});
        request.ifr_flags = static_cast<short>(set);
        if (::ioctl(ioctls_.get(), SIOCSIFFLAGS, &request) != 0) {
            return tl::unexpected(named(interface, kernel_error(doing, errno)));
        }
        return {};
    });
}

Result<EthtoolFamily> LinuxKernel::family()
{
    if (family_) {
        return *family_;
    }
    const auto found = ask<EthtoolFamily>(ethtool_, "lo", device::linux_nic::family_request(++sequence_),
                                          device::linux_nic::read_family);
    family_ = found ? std::optional{*found} : std::nullopt;
    return found;
}

Result<std::optional<LinkReason>> LinuxKernel::link_reason(const std::string& interface)
{
    return family().and_then([&](const EthtoolFamily& ethtool) {
        return ask<std::optional<LinkReason>>(ethtool_, interface,
                                              device::linux_nic::link_reason_request(++sequence_, ethtool, interface),
                                              device::linux_nic::read_link_reason);
    });
}

Result<Prevention> LinuxKernel::prevention(const std::string& interface)
{
    auto tunable = prevention_tunable(ETHTOOL_GTUNABLE, 0);
    return ethtool(interface, "read pfc-prevention-tout", tunable.bytes()).map([&] {
        std::uint16_t ms = 0;
        std::memcpy(&ms, tunable.data(), sizeof ms);
        return Prevention{ms};
    });
}

Result<void> LinuxKernel::set_prevention(const std::string& interface, Prevention ms)
{
    auto tunable = prevention_tunable(ETHTOOL_STUNABLE, static_cast<std::uint16_t>(ms.count()));
    return ethtool(interface, "set pfc-prevention-tout", tunable.bytes());
}

Result<StandardCounts> LinuxKernel::standard_counts(const std::string& interface)
{
    return family().map([&](const EthtoolFamily& ethtool) {
        const auto counts = [&](const Bytes& request, auto read) {
            return ask<StandardCounts>(ethtool_, interface, request, read).value_or(StandardCounts{});
        };
        auto all = counts(device::linux_nic::pause_counts_request(++sequence_, ethtool, interface),
                          device::linux_nic::read_pause_counts);
        const auto control = counts(device::linux_nic::control_counts_request(++sequence_, ethtool, interface),
                                    device::linux_nic::read_control_counts);
        all.control_sent = control.control_sent;
        all.control_received = control.control_received;
        return all;
    });
}

Result<Dcbx> LinuxKernel::dcbx(const std::string& interface)
{
    return ask<Dcbx>(netlink_, interface, device::linux_nic::dcbx_request(++sequence_, interface),
                     device::linux_nic::read_dcbx);
}

Result<std::optional<bool>> LinuxKernel::private_flag(const std::string& interface, std::string_view flag)
{
    constexpr std::string_view kDoing = "read its private flags";
    SetSize size{ETHTOOL_GSSET_INFO, 0, 1U << ETH_SS_PRIV_FLAGS, 0};
    if (auto read = ethtool(interface, kDoing, &size); !read) {
        return tl::unexpected(read.error());
    }
    const auto count = size.mask == 0 ? 0U : std::min(size.count, 32U);  // one bit of the answer for each
    Block names{sizeof(StringsHeader), std::size_t{2} * size.count * ETH_GSTRING_LEN};
    names.put(StringsHeader{ETHTOOL_GSTRINGS, ETH_SS_PRIV_FLAGS, size.count});
    ethtool_value flags{ETHTOOL_GPFLAGS, 0};
    if (count == 0) {
        return std::optional<bool>{};
    }
    return ethtool(interface, kDoing, names.bytes())
        .and_then([&] { return ethtool(interface, kDoing, &flags); })
        .map([&]() -> std::optional<bool> {
            for (std::uint32_t i = 0; i != count; ++i) {
                const auto* name = reinterpret_cast<const char*>(names.data()) + std::size_t{i} * ETH_GSTRING_LEN;
                if (std::string_view{name, ::strnlen(name, ETH_GSTRING_LEN)} == flag) {
                    return (flags.data >> i & 1U) != 0;
                }
            }
            return std::nullopt;
        });
}

Result<std::chrono::microseconds> LinuxKernel::statistics_interval(const std::string& interface)
{
    ethtool_coalesce settings{};
    settings.cmd = ETHTOOL_GCOALESCE;
    return ethtool(interface, "read its coalescing", &settings).map([&] {
        return std::chrono::microseconds{settings.stats_block_coalesce_usecs};
    });
}

PortSharing LinuxKernel::port_sharing(const std::string& interface) { return read_port_sharing("/sys", interface); }

std::vector<Counter> LinuxKernel::rdma_counters(const std::string& interface)
{
    return read_rdma_counters("/sys", interface);
}

bool LinuxKernel::join_groups()
{
    changes_ = FileDescriptor{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)};
    ethtool_changes_ = FileDescriptor{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC)};
    any_change_ = FileDescriptor{::epoll_create1(EPOLL_CLOEXEC)};
    const auto monitor = family().map([](const EthtoolFamily& ethtool) { return ethtool.monitor; }).value_or(0);
    const auto watch = [&](const FileDescriptor& socket) {
        epoll_event readable{};
        readable.events = EPOLLIN;
        return ::epoll_ctl(any_change_.get(), EPOLL_CTL_ADD, socket.get(), &readable) == 0;
    };
    // A kernel without ethtool's family does not report changes of pause: they are found by the check each second.
    const bool pause = monitor == 0 || (joins(ethtool_changes_, {monitor}) && watch(ethtool_changes_));
    return pause && joins(changes_, {RTNLGRP_LINK, RTNLGRP_DCB}) && watch(changes_);
}

int LinuxKernel::follow_changes()
{
    if (!std::exchange(follows_, true) && !join_groups()) {
        any_change_ = {};
    }
    return any_change_.get();
}

// If notifications were lost, everything may have changed.
Changes LinuxKernel::take_changes(const std::string& interface)
{
    Changes all;
    datagram_.resize(kLongestAnswer);
    for (const auto* socket : {&changes_, &ethtool_changes_}) {
        for (int taken = 0; taken != kMostNotificationsTaken; ++taken) {
            const auto size = ::recv(socket->get(), datagram_.data(), datagram_.size(), 0);
            if (size < 0 && errno == ENOBUFS) {
                all = {true, true};
            }
            if (size < 0 && (errno == EINTR || errno == ENOBUFS)) {
                continue;
            }
            if (size <= 0) {
                break;
            }
            const auto one = device::linux_nic::read_changes(std::span{datagram_}.first(static_cast<std::size_t>(size)),
                                                             family_, interface);
            all.link = all.link || one.link;
            all.settings = all.settings || one.settings;
        }
    }
    return all;
}

// A port is shared if it belongs to a virtual function, or if the physical function has virtual functions or
// subfunctions, which are its children in sysfs.
PortSharing read_port_sharing(const std::filesystem::path& sys, const std::string& interface)
{
    namespace fs = std::filesystem;
    const auto here = sys / "class/net" / interface;
    const auto device = here / "device";
    std::error_code none;  // a file that does not exist is no sign of sharing
    PortSharing sharing;
    sharing.functions = fs::exists(device / "physfn", none) || first_line(device / "sriov_numvfs").value_or("0") != "0";
    for (const auto& child : fs::directory_iterator{device, none}) {
        sharing.functions = sharing.functions || child.path().filename().string().find(".sf.") != std::string::npos;
    }
    std::istringstream members{first_line(here / "master/bonding/slaves").value_or("")};
    for (std::string member; members >> member;) {
        if (member != interface) {
            sharing.bonded.push_back(member);
        }
    }
    return sharing;
}

std::vector<Counter> read_rdma_counters(const std::filesystem::path& sys, const std::string& interface)
{
    namespace fs = std::filesystem;
    auto behind = read_port_sharing(sys, interface).bonded;
    std::error_code unbonded;
    if (const auto bond = fs::read_symlink(sys / "class/net" / interface / "master", unbonded); !behind.empty()) {
        behind.push_back(bond.filename());
    }
    behind.push_back(interface);
    std::map<std::string, std::uint64_t> sums;
    std::error_code none;  // a folder that does not exist has no entries
    for (const auto& device : fs::directory_iterator{sys / "class/infiniband", none}) {
        for (const auto& port : fs::directory_iterator{device.path() / "ports", none}) {
            const auto name = first_line(port.path() / "gid_attrs/ndevs/0").value_or("");
            if (std::ranges::find(behind, name) == behind.end()) {
                continue;
            }
            for (const auto& counter : fs::directory_iterator{port.path() / "hw_counters", none}) {
                const auto line = first_line(counter.path()).value_or("");
                std::uint64_t value = 0;
                if (std::from_chars(line.data(), line.data() + line.size(), value).ec == std::errc{}) {
                    sums[counter.path().filename()] += value;
                }
            }
        }
    }
    std::vector<Counter> counters;
    std::ranges::transform(sums, std::back_inserter(counters),
                           [](const auto& one) { return Counter{one.first, one.second}; });
    return counters;
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

// A poll of the NICs of this machine through the kernel: 8 interfaces as LinuxDevices, next to the bare system calls
// that they make. The interfaces are veth pairs in a network of their own, with eight queues each, so that they have as
// many private counters as the NIC of a server; some counters get the names of a NIC's.
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "base/assert.hpp"
#include "benches.hpp"
#include "device/linux/kernel_message.hpp"
#include "device/linux/linux_device.hpp"
#include "device/manual_clock.hpp"
#include "measure.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/linux_kernel.hpp"
#include "watchdog/intake.hpp"

namespace petrel::bench {

namespace {

namespace linux_nic = device::linux_nic;

constexpr unsigned kNics = 8;
constexpr double kMostRatio = 1.5;
constexpr std::array kCounterNames{"rx_vport_unicast_packets", "rx_vport_rdma_unicast_packets", "tx_prio3_pause",
                                   "tx_prio3_pause_duration"};

std::string nic_name(unsigned number) { return fmt::format("nic{}", number); }

// False: not permitted here.
bool make_nics()
{
    if (::unshare(CLONE_NEWNET) != 0) {
        return false;
    }
    for (unsigned number = 0; number != kNics; ++number) {
        const auto command = fmt::format("ip link add {} numtxqueues 8 numrxqueues 8 type veth peer name peer{} && "
                                         "ip link set {} up && ip link set peer{} up",
                                         nic_name(number), number, nic_name(number), number);
        if (std::system(command.c_str()) != 0) {
            return false;
        }
    }
    return true;
}

// The real kernel, whose interfaces are NICs of a known driver.
class KnownNics final : public runtime::LinuxKernel {
public:
    explicit KnownNics(runtime::LinuxKernel kernel) : LinuxKernel(std::move(kernel)) {}

    Result<std::string> driver(const std::string&) override { return "mlx5_core"; }
    Result<std::span<const linux_nic::Counter>> counters(const std::string& nic) override
    {
        return LinuxKernel::counters(nic).map([&](std::span<const linux_nic::Counter> read) {
            known_.resize(read.size());
            for (std::size_t i = 0; i != read.size(); ++i) {
                known_[i].value = read[i].value + 1;
                if (known_[i].name.empty()) {
                    known_[i].name = i < kCounterNames.size() ? kCounterNames.at(i) : read[i].name;
                }
            }
            return std::span<const linux_nic::Counter>{known_};
        });
    }

private:
    std::vector<linux_nic::Counter> known_;
};

struct WatchedNic {
    std::unique_ptr<linux_nic::LinuxDevice> device;
    std::unique_ptr<watchdog::Intake> intake;
};

WatchedNic watched(unsigned number, const device::TimeSource& clock)
{
    auto kernel = runtime::LinuxKernel::open();
    PETREL_ASSERT(kernel, "{}", kernel.error().what);
    auto device =
        linux_nic::LinuxDevice::open(DeviceId{0}, nic_name(number), std::make_unique<KnownNics>(std::move(*kernel)),
                                     clock, [](const std::string&) {});
    PETREL_ASSERT(device, "{}", device.error().what);
    auto intake = std::make_unique<watchdog::Intake>((*device)->inventory(), (*device)->capabilities());
    return {std::move(*device), std::move(intake)};
}

// The system calls of one look at one interface, with everything prepared.
class BareSystemCalls {
public:
    explicit BareSystemCalls(const std::string& nic)
        : netlink_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)),
          ioctls_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
          link_(linux_nic::link_request(1, nic))
    {
        std::copy(nic.begin(), nic.end(), std::begin(request_.ifr_name));
    }

    void poll()
    {
        PETREL_ASSERT(::send(netlink_.get(), link_.data(), link_.size(), 0) > 0, "no request");
        PETREL_ASSERT(::recv(netlink_.get(), answer_.data(), answer_.size(), 0) > 0, "no answer");
        auto* size = ethtool<ethtool_sset_info>(ETHTOOL_GSSET_INFO);
        size->sset_mask = 1U << ETH_SS_STATS;
        call();
        const auto count = size->data[0];
        auto* names = ethtool<ethtool_gstrings>(ETHTOOL_GSTRINGS);
        names->string_set = ETH_SS_STATS;
        names->len = count;
        call();
        ethtool<ethtool_stats>(ETHTOOL_GSTATS)->n_stats = count;
        call();
        counters_ = count;
    }
    unsigned counters() const { return counters_; }

private:
    template <class Header>
    Header* ethtool(std::uint32_t command)
    {
        auto* header = reinterpret_cast<Header*>(data_.data());
        header->cmd = command;
        request_.ifr_data = reinterpret_cast<char*>(data_.data());
        return header;
    }
    void call() { PETREL_ASSERT(::ioctl(ioctls_.get(), SIOCETHTOOL, &request_) == 0, "errno {}", errno); }

    runtime::FileDescriptor netlink_;
    runtime::FileDescriptor ioctls_;
    linux_nic::Bytes link_;
    ifreq request_{};
    std::array<std::byte, 16384> answer_{};
    alignas(8) std::array<std::byte, 65536> data_{};
    unsigned counters_{};
};

void measure_nics(Report& report)
{
    if (!make_nics()) {
        report.text("skipped", "it needs `ip` and the right to make network namespaces");
        return;
    }
    device::ManualClock clock;
    std::vector<WatchedNic> nics;
    std::vector<std::unique_ptr<BareSystemCalls>> bare;
    for (unsigned number = 0; number != kNics; ++number) {
        nics.push_back(watched(number, clock));
        bare.push_back(std::make_unique<BareSystemCalls>(nic_name(number)));
    }
    constexpr Slot kPort{0};
    const auto poll = [&] {
        clock.advance(std::chrono::milliseconds{10});
        for (auto& [device, intake] : nics) {
            intake->begin();
            const auto looked = device->look(std::span{&kPort, 1}, *intake);
            PETREL_ASSERT(looked, "{}", looked.error().what);
            keep(*intake);
        }
    };
    const auto bare_calls = [&] {
        for (const auto& nic : bare) {
            nic->poll();
        }
    };
    const auto timings = in_turns({poll, bare_calls});
    report.metric("counters of an interface", bare.front()->counters());
    report.metric("us per poll of 8 interfaces", timings[0].least_ns / 1e3);
    report.metric("us for the bare system calls", timings[1].least_ns / 1e3);
    report.metric("ratio", timings[0].least_ns / timings[1].least_ns, at_most(kMostRatio));
}

}  // namespace

std::vector<Bench> host_benches() { return {{"host", measure_nics}}; }

}  // namespace petrel::bench

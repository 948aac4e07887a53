// A NIC in memory that outlives the process in front of it. Its counters grow with the clock of the test.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "device/linux/kernel.hpp"
#include "device/manual_clock.hpp"

namespace petrel::test {

namespace nic = device::linux_nic;

struct FakeNic {
    explicit FakeNic(device::ManualClock& time) : clock(time) {}

    device::ManualClock& clock;
    std::string interface{"eth0"};
    std::string driver{"mlx5_core"};
    std::optional<nic::Pfc> pfc{{0b0000'1000, 8, false, 0}};
    std::optional<nic::LinkPause> pause{nic::LinkPause{}};
    nic::LinkState link{3, 1, true};
    bool receives{true};                 // its receive pipeline delivers packets
    bool pauses{};                       // it pauses its switch, as far as PFC or pause are on
    std::optional<ErrorKind> refuses{};  // every write
    bool ignores{};                      // every write, and reports success
    bool bounces{};                      // a write takes the link down and up, as mlx5_core does
    Duration refresh{};                  // of the counters
    std::vector<std::string> writes{};   // "pfc 0x00", "pause tx off"

    std::uint64_t received{1'000};
    std::uint64_t pause_us{};
    std::uint64_t pause_frames{};
    Instant grown{};
    std::vector<nic::Counter> shown{};
    Instant shown_at{};

    // Call it before receives or pauses change.
    void grow()
    {
        const auto us = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(clock.now().mono - grown).count());
        grown = clock.now().mono;
        const bool sends = (pfc && pfc->enabled != 0) || (pause && pause->sends);
        received += receives ? us : 0;
        pause_us += pauses && sends ? us : 0;
        pause_frames += pauses && sends ? (us + 99) / 100 : 0;
    }

    void set(bool now_receives, bool now_pauses)
    {
        grow();
        receives = now_receives;
        pauses = now_pauses;
    }

    std::vector<nic::Counter> counters()
    {
        grow();
        if (!shown.empty() && clock.now().mono - shown_at < refresh) {
            return shown;
        }
        shown_at = clock.now().mono;
        if (driver == "bnxt_en") {
            shown = {{"tx_pfc_ena_frames_pri3", pause_frames}, {"tx_pause_frames", 0}};
            for (int priority = 0; priority != 8; ++priority) {
                shown.push_back({fmt::format("rx_packets_pri{}", priority), priority == 3 ? received : 0});
            }
            return shown;
        }
        shown = {{"rx_vport_unicast_packets", received}, {"rx_vport_rdma_unicast_packets", 0}};
        const bool by_priority = pfc && pfc->enabled != 0;
        shown.push_back({"tx_global_pause", by_priority ? 0 : pause_frames});
        shown.push_back({"tx_global_pause_duration", by_priority ? 0 : pause_us});
        if (by_priority) {
            shown.push_back({"tx_prio3_pause", pause_frames});
            shown.push_back({"tx_prio3_pause_duration", pause_us});
        }
        return shown;
    }

    template <class Set>
    Result<void> write(std::string what, Set set)
    {
        writes.push_back(std::move(what));
        if (refuses) {
            return tl::unexpected(Error{*refuses, "the fake NIC refuses"});
        }
        if (!ignores) {
            grow();
            set();
            link.changes += bounces ? 2 : 0;
        }
        return {};
    }
};

class FakeKernel final : public nic::Kernel {
public:
    explicit FakeKernel(FakeNic& behind) : nic_(behind) {}

    Result<std::vector<std::string>> interfaces() override { return std::vector<std::string>{"lo", nic_.interface}; }
    Result<std::string> driver(const std::string& interface) override
    {
        return interface == "lo" ? Result<std::string>{unsupported()} : find(interface, nic_.driver);
    }
    Result<BitRate> speed(const std::string& interface) override { return find(interface, BitRate{100'000'000'000}); }
    Result<nic::LinkState> link(const std::string& interface) override { return find(interface, nic_.link); }
    Result<std::span<const nic::Counter>> counters(const std::string& interface) override
    {
        read_ = nic_.counters();
        return find(interface, std::span<const nic::Counter>{read_});
    }
    Result<nic::Pfc> pfc(const std::string& interface) override
    {
        return nic_.pfc ? find(interface, *nic_.pfc) : unsupported();
    }
    Result<void> set_pfc(const std::string& /*interface*/, const nic::Pfc& set) override
    {
        return nic_.write(fmt::format("pfc 0x{:02x}", set.enabled), [&] { nic_.pfc = set; });
    }
    Result<nic::LinkPause> pause(const std::string& interface) override
    {
        return nic_.pause ? find(interface, *nic_.pause) : unsupported();
    }
    Result<void> set_pause(const std::string& /*interface*/, const nic::LinkPause& set) override
    {
        return nic_.write(fmt::format("pause tx {}", set.sends ? "on" : "off"), [&] { nic_.pause = set; });
    }

private:
    static tl::unexpected<Error> unsupported()
    {
        return tl::unexpected(Error{ErrorKind::unsupported, "the fake NIC does not have it"});
    }
    template <class T>
    Result<T> find(const std::string& interface, T value) const
    {
        if (interface != nic_.interface) {
            return tl::unexpected(Error{ErrorKind::unreachable, "no such interface"});
        }
        return value;
    }

    FakeNic& nic_;
    std::vector<nic::Counter> read_;
};

}  // namespace petrel::test

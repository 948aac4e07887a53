// A NIC in memory that outlives the process in front of it. Its counters grow with the clock of the test.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
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
    std::optional<ErrorKind> refuses{};  // every write of PFC and pause
    bool refuses_pause{};                // writes of pause
    bool refuses_down{};                 // to go down
    bool ignores{};                      // every write, and reports success
    bool bounces{};                      // a write takes the link down and up, as mlx5_core does
    Duration refresh{};                  // of the counters
    std::vector<std::string> writes{};   // "pfc 0x00", "pause tx off", "down"
    std::optional<nic::Prevention> prevention{};
    bool prevention_refused{};
    std::optional<nic::LinkReason> link_reason{};
    std::optional<nic::Dcbx> dcbx{};
    std::map<std::string, bool> private_flags{};
    std::vector<nic::Counter> rdma{};
    std::optional<nic::PfcCounts> pfc_counts{};
    nic::PortSharing sharing{};
    std::uint64_t received_by_bonded{};  // by each other member of its bond
    std::optional<std::chrono::microseconds> statistics_interval{};
    nic::StandardCounts standard{};
    nic::Changes changes{};
    std::uint64_t storms{};      // that the NIC has found itself
    std::uint8_t pausing{0xff};  // the priorities that are stuck if it pauses

    std::uint64_t received{1'000};
    std::uint64_t pause_us{};
    std::uint64_t pause_frames{};
    std::array<std::uint64_t, kPriorities> paused_us{};
    Instant grown{};
    std::vector<nic::Counter> shown{};
    Instant shown_at{};

    // Call it before receives or pauses change.
    void grow()
    {
        const auto us = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(clock.now().mono - grown).count());
        grown = clock.now().mono;
        const bool sends = link.enabled && ((pfc && (pfc->enabled & pausing) != 0) || (pause && pause->sends));
        received += receives ? us : 0;
        pause_us += pauses && sends ? us : 0;
        pause_frames += pauses && sends ? (us + 99) / 100 : 0;
        for (std::size_t priority = 0; priority != kPriorities; ++priority) {
            const bool paused = pauses && link.enabled && pfc && (pfc->enabled & pausing & (1U << priority)) != 0;
            paused_us.at(priority) += paused ? us : 0;
        }
    }

    // Another program, or a boot.
    void turn_pfc_on(std::uint8_t enabled = 0b0000'1000)
    {
        grow();
        pfc->enabled = enabled;
        changes.settings = true;
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
        shown.push_back({"tx_pause_storm_error_events", storms});
        for (std::size_t priority = 0; by_priority && priority != kPriorities; ++priority) {
            if ((pfc->enabled >> priority & 1U) != 0) {
                shown.push_back({fmt::format("tx_prio{}_pause", priority), paused_us.at(priority) / 100});
                shown.push_back({fmt::format("tx_prio{}_pause_duration", priority), paused_us.at(priority)});
            }
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
        if (interface == "lo") {
            return unsupported();
        }
        return is_bonded(interface) ? nic_.driver : find(interface, nic_.driver);
    }
    Result<BitRate> speed(const std::string& interface) override { return find(interface, BitRate{100'000'000'000}); }
    Result<nic::LinkState> link(const std::string& interface) override { return find(interface, nic_.link); }
    Result<std::span<const nic::Counter>> counters(const std::string& interface) override
    {
        if (is_bonded(interface)) {
            read_ = {{"rx_vport_unicast_packets", nic_.received_by_bonded}, {"rx_vport_rdma_unicast_packets", 0}};
            return std::span<const nic::Counter>{read_};
        }
        read_ = nic_.counters();
        return find(interface, std::span<const nic::Counter>{read_});
    }
    Result<nic::Pfc> pfc(const std::string& interface) override
    {
        return nic_.pfc ? find(interface, *nic_.pfc) : unsupported();
    }
    Result<nic::PfcCounts> pfc_counts(const std::string& interface) override
    {
        return nic_.pfc_counts ? find(interface, *nic_.pfc_counts) : unsupported();
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
        const auto what = fmt::format("pause tx {}", set.sends ? "on" : "off");
        if (nic_.refuses_pause) {
            nic_.writes.push_back(what);
            return unsupported();
        }
        return nic_.write(what, [&] { nic_.pause = set; });
    }
    Result<void> set_enabled(const std::string& /*interface*/, bool enabled) override
    {
        nic_.writes.emplace_back(enabled ? "up" : "down");
        if (nic_.refuses_down) {
            return tl::unexpected(Error{ErrorKind::denied, "the fake NIC refuses"});
        }
        nic_.grow();
        nic_.link.changes += nic_.link.enabled == enabled ? 0 : 1;
        nic_.link.enabled = nic_.link.up = enabled;
        return {};
    }
    Result<std::optional<nic::LinkReason>> link_reason(const std::string& interface) override
    {
        return find(interface, nic_.link_reason);
    }
    Result<nic::Prevention> prevention(const std::string& interface) override
    {
        return nic_.prevention ? find(interface, *nic_.prevention) : unsupported();
    }
    Result<void> set_prevention(const std::string& /*interface*/, nic::Prevention set) override
    {
        if (nic_.prevention_refused) {
            return tl::unexpected(Error{ErrorKind::denied, "the fake NIC refuses"});
        }
        nic_.prevention = set == nic::kShortestPrevention ? nic::Prevention{100} : set;
        return {};
    }
    Result<nic::StandardCounts> standard_counts(const std::string& interface) override
    {
        return find(interface, nic_.standard);
    }
    Result<nic::Dcbx> dcbx(const std::string& interface) override
    {
        return nic_.dcbx ? find(interface, *nic_.dcbx) : unsupported();
    }
    Result<std::optional<bool>> private_flag(const std::string& interface, std::string_view flag) override
    {
        const auto found = nic_.private_flags.find(std::string{flag});
        return find(interface, found == nic_.private_flags.end() ? std::nullopt : std::optional{found->second});
    }
    Result<std::chrono::microseconds> statistics_interval(const std::string& interface) override
    {
        return nic_.statistics_interval ? find(interface, *nic_.statistics_interval) : unsupported();
    }
    nic::PortSharing port_sharing(const std::string& /*interface*/) override { return nic_.sharing; }
    std::vector<nic::Counter> rdma_counters(const std::string& /*interface*/) override { return nic_.rdma; }
    int follow_changes() override { return -1; }
    nic::Changes take_changes(const std::string& /*interface*/) override { return std::exchange(nic_.changes, {}); }

private:
    static tl::unexpected<Error> unsupported()
    {
        return tl::unexpected(Error{ErrorKind::unsupported, "the fake NIC does not have it"});
    }
    bool is_bonded(const std::string& interface) const
    {
        return std::ranges::find(nic_.sharing.bonded, interface) != nic_.sharing.bonded.end();
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

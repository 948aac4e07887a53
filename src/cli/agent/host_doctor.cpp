#include "cli/agent/host_doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "device/linux/nic_facts.hpp"
#include "device/linux/vendor_table.hpp"
#include "link/decode.hpp"
#include "watchdog/policy.hpp"

namespace petrel::cli {

namespace {

using device::linux_nic::CounterReader;
using device::linux_nic::is_armed;
using device::linux_nic::Kernel;
using device::linux_nic::kShortestPrevention;
using device::linux_nic::LinkPause;
using device::linux_nic::LinkState;
using device::linux_nic::monitored_only;
using device::linux_nic::NicFacts;
using device::linux_nic::Pfc;
using device::linux_nic::Prevention;
using device::linux_nic::prevention_text;
using device::linux_nic::StandardCounts;
using device::linux_nic::Vendor;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// One interface: each member function writes the lines of one subject.
class Doctor {
public:
    Doctor(Kernel& kernel, std::string interface, const HostFacts& host)
        : kernel_(kernel),
          interface_(std::move(interface)),
          host_(host),
          driver_(kernel.driver(interface_).value_or("")),
          vendor_(device::linux_nic::find_vendor(driver_)),
          facts_(vendor_ != nullptr ? device::linux_nic::read_facts(kernel, interface_, *vendor_) : NicFacts{})
    {}

    std::string text()
    {
        const auto link = kernel_.link(interface_);
        if (!link) {
            return fmt::format("{}\n  cannot be read: {}\n", interface_, link.error().what);
        }
        text_ = fmt::format("{}: {}, link {}\n", interface_, driver_.empty() ? "no driver" : "driver " + driver_,
                            link->up ? "up" : "down");
        if (!link->up) {
            link_down(*link);
        }
        line("watched", watched());
        renewal();
        counted();
        const auto pfc = kernel_.pfc(interface_);
        const auto pause = kernel_.pause(interface_);
        if (vendor_ == nullptr && !pfc && !pause) {
            line("treatment", "none: it has neither PFC nor pause to turn off");
            return std::move(text_);
        }
        settings(pfc, pause);
        if (pfc) {
            dcbx();
            lldp();
        }
        prevention();
        rdma();
        return std::move(text_);
    }

private:
    void line(std::string_view key, const std::string& value) { text_ += fmt::format("  {:<10} {}\n", key, value); }
    void advise(std::string_view command) { text_ += fmt::format("  {:<10} run: {}\n", "", command); }

    Duration detect() const
    {
        return device::linux_nic::effective_detect(facts_, watchdog::find_preset("rdma-nic")->policy.detect);
    }

    std::string watched()
    {
        if (vendor_ == nullptr) {
            return "no: " + *monitored_only(driver_);
        }
        const auto counters = kernel_.counters(interface_);
        if (!counters) {
            return "no: " + counters.error().what;
        }
        const auto read = CounterReader{*vendor_}.read(*counters);
        auto why = monitored_only(*vendor_, facts_);
        if (why = why ? why : monitored_only(*vendor_, read); why) {
            return "no: " + *why;
        }
        auto text = fmt::format("yes; a storm is detected after {} ms",
                                std::chrono::duration_cast<milliseconds>(detect()).count());
        if (read.storms && !read.storms_guessed) {
            text += fmt::format("; the NIC itself has found {} so far", *read.storms);
        }
        return text;
    }

    void renewal()
    {
        constexpr auto kShortest = milliseconds{250};  // bnxt_en rounds shorter times up
        if (vendor_ != nullptr && vendor_->refresh_is_set && facts_.refresh != Duration{kShortest}) {
            line("renewed", facts_.refresh
                                ? fmt::format("the driver renews the counters every {} ms",
                                              std::chrono::duration_cast<milliseconds>(*facts_.refresh).count())
                                : "the driver never renews the counters");
            advise(fmt::format("ethtool -C {} stats-block-usecs {}", interface_, microseconds{kShortest}.count()));
        }
    }

    // Also of a driver whose own counters are unknown.
    void counted()
    {
        const auto read = kernel_.standard_counts(interface_).value_or(StandardCounts{});
        std::vector<std::string> parts;
        const auto add = [&](const std::optional<std::uint64_t>& value, std::string_view what) {
            if (value) {
                parts.push_back(fmt::format("{} {}", *value, what));
            }
        };
        add(read.control_sent, "MAC control frames sent (pause and PFC)");
        add(read.control_received, "received");
        add(read.pause_sent, "of link pause sent");
        add(read.pause_received, "received");
        add(read.storms, "storms found by the NIC itself");
        if (const auto pfc = kernel_.pfc_counts(interface_)) {
            parts.push_back(
                fmt::format("PFC sent {}, received {}", frames_text(pfc->sent), frames_text(pfc->received)));
        }
        if (!parts.empty()) {
            line("counted", fmt::format("{}", fmt::join(parts, ", ")));
        }
    }

    static std::string frames_text(const std::array<std::uint64_t, kPriorities>& frames)
    {
        std::vector<std::string> parts;
        for (std::size_t priority = 0; priority != frames.size(); ++priority) {
            if (frames[priority] != 0) {
                parts.push_back(fmt::format("{} of priority {}", frames[priority], priority));
            }
        }
        return parts.empty() ? "0" : fmt::format("{}", fmt::join(parts, " and "));
    }

    void link_down(const LinkState& link)
    {
        if (!link.enabled) {
            line("link", "the interface is down by configuration");
            advise(fmt::format("ip link set {} up", interface_));
            return;
        }
        const auto why = kernel_.link_reason(interface_);
        if (!why || !*why) {
            line("link", "the driver does not say why the link is down");
            return;
        }
        const auto code = fmt::format("{}.{}", (*why)->state, (*why)->detail);
        const auto decoded = link::decode("ethtool", code);
        line("link", fmt::format("ethtool ext {}: {}", code,
                                 decoded && decoded->known() ? link::cause(decoded->canonical).meaning : "unknown"));
    }

    static std::string priorities_text(std::uint8_t enabled)
    {
        std::vector<int> on;
        for (int priority = 0; priority != kPriorities; ++priority) {
            if ((enabled >> priority & 1U) != 0) {
                on.push_back(priority);
            }
        }
        return on.empty() ? "off for all priorities" : fmt::format("on for {}", fmt::join(on, ", "));
    }

    template <class T>
    static std::string missing(const Result<T>& read)
    {
        return read.error().kind == ErrorKind::unsupported ? "the driver does not have it" : read.error().what;
    }

    void settings(const Result<Pfc>& pfc, const Result<LinkPause>& pause)
    {
        line("PFC", pfc ? priorities_text(pfc->enabled) : missing(pfc));
        line("pause",
             pause ? fmt::format("sent: {}, honoured: {}", pause->sends ? "on" : "off", pause->receives ? "on" : "off")
                   : missing(pause));
        if (!pfc && !pause) {
            line("treatment", "the driver can turn neither PFC nor pause off: a storm is only reported; with "
                              "port_down_if_refused = true in the policy, the interface goes down");
        } else {
            line("treatment", fmt::format("{} off; if the driver refuses, the interface goes down if the policy has "
                                          "port_down_if_refused = true",
                                          pfc && pause ? "PFC of what is stuck, and pause"
                                          : pfc        ? "PFC of what is stuck"
                                                       : "pause"));
        }
        line("privilege", host_.may_set
                              ? "the treatment needs CAP_NET_ADMIN, which this process has; reading needs none"
                              : "the treatment needs CAP_NET_ADMIN, which this process lacks: start the agent "
                                "as root, or with AmbientCapabilities=CAP_NET_ADMIN in its unit");
    }

    // Drivers refuse PFC, or their firmware undoes it, unless a program of the host decides by the IEEE version.
    void dcbx()
    {
        const auto mode = kernel_.dcbx(interface_);
        if (!mode) {
            return;
        }
        if (mode->by_host && mode->ieee && !mode->by_firmware) {
            line("DCBX", "a program of this host decides (IEEE)");
            return;
        }
        line("DCBX", mode->by_firmware
                         ? "the firmware decides: the driver refuses to change PFC, or the firmware undoes it"
                     : mode->ieee ? "the driver does not leave the decision to this host: it may refuse to change PFC"
                                  : "the CEE version is in force: the driver refuses to change PFC");
        advise(fmt::format("dcb dcbx set dev {} host ieee", interface_));
    }

    void lldp()
    {
        if (vendor_ != nullptr && !vendor_->lldp.name.empty()) {
            const auto& flag = vendor_->lldp;
            const auto value = kernel_.private_flag(interface_, flag.name);
            if (value && *value && **value == flag.runs_if) {
                line("LLDP", "an LLDP agent runs in the firmware and may turn PFC on again");
                advise(fmt::format("ethtool --set-priv-flags {} {} {}", interface_, flag.name,
                                   flag.runs_if ? "off" : "on"));
            }
        }
        if (host_.lldpad) {
            line("LLDP", "lldpad runs and may turn PFC on again if the switch advertises it");
            advise(fmt::format("lldptool -T -i {} -V PFC willing=no", interface_));
        }
    }

    void prevention()
    {
        const auto now = kernel_.prevention(interface_);
        if (!now) {
            line("prevention",
                 "the driver has no pfc-prevention-tout: if this machine crashes, only its switch can stop "
                 "its pause");
            return;
        }
        const bool arms = vendor_ != nullptr && !is_armed(*now);
        line("prevention",
             *now == Prevention{}
                 ? fmt::format("the NIC's own stall prevention is off{}", arms ? "; the agent arms it" : "")
                 : fmt::format("the NIC stops its pause itself after {} of a stall{}", prevention_text(*now),
                               arms ? "; the agent shortens it" : ""));
        if (!is_armed(*now)) {
            advise(fmt::format("ethtool --set-tunable {} pfc-prevention-tout {}", interface_,
                               kShortestPrevention.count()));
        }
    }

    void rdma()
    {
        const auto counters = kernel_.rdma_counters(interface_);
        if (counters.empty() || vendor_ == nullptr) {
            return;
        }
        std::vector<std::string> read;
        for (const auto& counter : counters) {
            if (std::ranges::find(vendor_->rdma_progress, counter.name) != vendor_->rdma_progress.end()) {
                read.push_back(fmt::format("{} {}", counter.name, counter.value));
            }
        }
        const auto& names = vendor_->rdma_progress;
        line("RDMA", !read.empty()   ? fmt::format("the agent also reads {}", fmt::join(read, ", "))
                     : names.empty() ? "the NIC's own counters include what RDMA receives"
                                     : fmt::format("its RDMA device reports none of {}: only the NIC's own counters "
                                                   "show what RDMA receives",
                                                   fmt::join(names, ", ")));
        timeouts();
    }

    // The time after which a queue pair gives up is at least (retries + 1) x 4.096 us x 2^timeout. Its connection
    // breaks in a storm that ends, if that is shorter than detection and treatment.
    void timeouts()
    {
        constexpr int kRetries = 7;
        constexpr auto kTreated = milliseconds{100};
        const auto needed = std::chrono::duration_cast<microseconds>(detect() + kTreated);
        unsigned timeout = 0;
        const auto gives_up = [&] { return microseconds{(kRetries + 1) * (4096LL << timeout) / 1000}; };
        while (gives_up() < needed) {
            ++timeout;
        }
        line("", fmt::format("queue pairs must survive {} ms without an answer: with retry_cnt {}, a timeout of {} "
                             "or more ({} ms); applications set both",
                             std::chrono::duration_cast<milliseconds>(needed).count(), kRetries, timeout,
                             std::chrono::duration_cast<milliseconds>(gives_up()).count()));
        advise(fmt::format("export NCCL_IB_RETRY_CNT={} NCCL_IB_TIMEOUT={}  # for NCCL, whose own value may be larger",
                           kRetries, timeout));
    }

    Kernel& kernel_;
    std::string interface_;
    const HostFacts& host_;
    std::string driver_;
    const Vendor* vendor_;
    NicFacts facts_;
    std::string text_;
};

}  // namespace

std::string doctor_text(device::linux_nic::Kernel& kernel, const std::string& interface, const HostFacts& host)
{
    return Doctor{kernel, interface, host}.text();
}

}  // namespace petrel::cli

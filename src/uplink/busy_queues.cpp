#include "uplink/busy_queues.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace petrel::uplink {
namespace {

// A counter that was cleared counts from zero.
std::uint64_t grown(std::uint64_t now, std::uint64_t before) { return now >= before ? now - before : now; }

}  // namespace

std::vector<QueueSample> BusyQueues::choose(std::vector<QueueSample> now)
{
    std::vector<Busy> busy;
    for (std::size_t i = 0; i != now.size(); ++i) {
        const auto& sample = now[i];
        const Counts counts{sample.paused_us, sample.tx_packets, sample.rx_pfc};
        const auto [at, is_new] = last_.try_emplace({sample.port, sample.priority}, counts);
        const auto before = std::exchange(at->second, counts);
        const Counts more{grown(counts.paused_us, before.paused_us), grown(counts.tx_packets, before.tx_packets),
                          grown(counts.rx_pfc, before.rx_pfc)};
        if (!is_new && (more.paused_us != 0 || more.rx_pfc != 0)) {
            busy.push_back({more, i});
        }
    }
    // Of equal queues, the same ones are chosen each time.
    std::ranges::sort(busy, [](const Busy& a, const Busy& b) {
        return std::tuple{b.more.paused_us, b.more.rx_pfc, a.index} <
               std::tuple{a.more.paused_us, a.more.rx_pfc, b.index};
    });
    std::vector<QueueSample> chosen;
    const auto most = std::min(busy.size(), kMost);
    for (std::size_t i = 0; i != most; ++i) {
        chosen.push_back(std::move(now[busy[i].index]));
    }
    if (busy.size() > most) {
        for (const auto& left_out : std::span{busy}.subspan(most)) {
            rest_.paused_us += left_out.more.paused_us;
            rest_.tx_packets += left_out.more.tx_packets;
            rest_.rx_pfc += left_out.more.rx_pfc;
        }
        chosen.push_back(
            {chosen.front().device, kRest, 0, chosen.front().time_us, rest_.paused_us, rest_.tx_packets, rest_.rx_pfc});
    }
    return chosen;
}

}  // namespace petrel::uplink

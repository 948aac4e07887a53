#include "device/sonic/last_polls.hpp"

namespace petrel::device::sonic {

using watchdog::Field;
using watchdog::has;

void LastPolls::see(const watchdog::Sample& sample, WallTime now)
{
    if (now_.known != 0 && sample.read_at == now_.read_at) {
        return;
    }
    interval_last_ = last_.known != 0 ? std::optional{now_.read_at - last_.read_at} : std::nullopt;
    last_ = now_;
    now_ = {sample.read_at,
            now,
            sample.known,
            sample.paused_now,
            sample[Field::occupancy],
            sample[Field::tx_packets],
            sample[Field::rx_pfc],
            sample[Field::pause_us]};
}

db::StormInfo LastPolls::info() const
{
    const auto counter = [&](Field field, std::uint64_t Poll::* value) {
        const auto at = [&](const Poll& poll) {
            return has(poll.known, field) ? std::optional{poll.*value} : std::nullopt;
        };
        return db::StormInfo::Counter{at(now_), at(last_)};
    };
    db::StormInfo info;
    if (now_.known == 0) {
        return info;
    }
    info.occupancy = counter(Field::occupancy, &Poll::occupancy).now;
    info.packets = counter(Field::tx_packets, &Poll::packets);
    info.pfc_rx_packets = counter(Field::rx_pfc, &Poll::frames);
    info.pfc_duration_us = counter(Field::pause_us, &Poll::pause_us);
    info.timestamp = now_.seen;
    if (last_.known != 0) {
        info.timestamp_last = last_.seen;
        info.effective_poll_time = now_.read_at - last_.read_at;
    }
    info.effective_pfcwd_poll_time_last = interval_last_;
    if (has(now_.known, Field::paused_now)) {
        info.paused = now_.paused;
    }
    return info;
}

}  // namespace petrel::device::sonic

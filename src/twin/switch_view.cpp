#include "twin/switch_view.hpp"

namespace petrel::twin {

QueueReading SwitchView::queue(std::uint8_t port, std::uint8_t q, Ps now) const
{
    const EgressQueue& line = node_->queue(port, q);
    const QueueExtra& more = node_->extra(port, q);
    PauseMeter pause = node_->meter(port, q);
    pause.settle(now);
    const Ps running = pause.until == 0 ? 0 : now - pause.since;
    QueueReading r;
    r.paused = pause.paused(now);
    r.paused_for = node_->profile_.flaws.quanta ? pause.requested : pause.paused_for(now);
    r.longest_pause = std::max(pause.longest, running);
    r.rx_xoff = pause.xoff;
    r.rx_xon = pause.xon;
    r.pauses_ended = pause.ended;
    r.tx_packets = line.tx_packets;
    r.tx_bytes = line.tx_bytes;
    r.tx_drops = more.drops;
    r.marked = more.marked;
    r.bytes = line.bytes;
    r.peak_bytes = line.peak;
    r.pause_sent = more.pause_sent;
    r.deadlocks = more.deadlocks;
    return r;
}

GroupReading SwitchView::group(std::uint8_t port, std::uint8_t g) const
{
    const IngressGroup& line = node_->group(port, g);
    return {line.rx_packets, line.rx_drops, line.bytes,         line.shared(),
            line.headroom,   line.peak,     line.headroom_peak, line.xoff};
}

std::uint64_t SwitchView::waiting(std::uint8_t in, std::uint8_t out, std::uint8_t q) const
{
    const PacketRing& ring = node_->queue(out, q).ring;
    std::uint64_t bytes = 0;
    for (std::uint32_t i = ring.head; i != ring.tail; ++i)
        bytes += ring.slots[i & ring.mask].ingress == in ? ring.slots[i & ring.mask].bytes : 0;
    return bytes;
}

std::uint64_t SwitchView::resumes_below(std::uint8_t port, std::uint8_t g, std::uint64_t pool_used) const
{
    const IngressGroup& group = node_->group(port, g);
    Pool pool = node_->ingress_pools_[group.pool];
    pool.used = pool_used;
    return group.reserved + group.resume_level(pool);
}

ContinuousPause SwitchView::continuous_pause(std::uint8_t port, std::uint8_t q, Ps now)
{
    const PauseMeter& pause = node_->meter(port, q);
    QueueExtra& more = node_->extra(port, q);
    const Ps since_read = more.read_at;
    more.read_at = now;
    if (!pause.paused(now))
        return ContinuousPause::not_paused;
    return pause.since <= since_read ? ContinuousPause::paused : ContinuousPause::not_continuous;
}

std::uint8_t SwitchView::pause_timeout(std::uint8_t port, Ps now) const
{
    const Ps limit = node_->status_[port].pause_limit;
    if (limit == 0)
        return 0;
    std::uint8_t late = 0;
    for (std::uint8_t q = 0; q != kPriorities; ++q) {
        const PauseMeter& pause = node_->meter(port, q);
        if (pause.paused(now) && now - pause.since >= limit)
            late |= static_cast<std::uint8_t>(1U << q);
    }
    return late & node_->honours_;
}

void SwitchView::set_alpha(std::uint8_t port, std::uint8_t g, std::int8_t exponent)
{
    node_->group(port, g).limit = {Limit::Mode::dynamic, exponent, 0};
}

void SwitchView::set_group(std::uint8_t port, std::uint8_t g, const PgProfile& wanted)
{
    IngressGroup& line = node_->group(port, g);
    node_->ingress_pools_[line.pool].used -= line.shared();
    line.reserved = wanted.reserved_bytes;
    line.headroom_limit = wanted.headroom_bytes;
    line.xon = wanted.xon_bytes;
    line.xon_offset = wanted.xon_offset_bytes;
    line.limit = wanted.limit;
    line.lossless = wanted.lossless;
    line.pool = wanted.pool;
    node_->ingress_pools_[line.pool].take(line.shared());
}

void SwitchView::forget_queue_peak(std::uint8_t port, std::uint8_t q)
{
    EgressQueue& line = node_->queue(port, q);
    line.peak = line.bytes;
}

void SwitchView::forget_group_peaks(std::uint8_t port, std::uint8_t g)
{
    IngressGroup& line = node_->group(port, g);
    line.peak = line.bytes;
    line.headroom_peak = line.headroom;
}

void SwitchView::forget_pool_peaks(std::uint8_t pool)
{
    node_->ingress_pools_[pool].peak = node_->ingress_pools_[pool].used;
    node_->headroom_pool_.peak = node_->headroom_pool_.used;
}

void SwitchView::tap(std::uint8_t port, Tap* tap)
{
    node_->ins_[port].tap = tap;
    node_->ins_[port].odd |= tap != nullptr;
}

void SwitchView::set_deadlock_timers(std::uint8_t port, std::uint8_t q, Ps detect, Ps recover)
{
    node_->extra(port, q).detect = detect;
    node_->extra(port, q).recover = recover;
}

void SwitchView::restart_detection(std::uint8_t port, std::uint8_t q, Ps now)
{
    if (recovering(port, q))
        return;  // the end of the recovery restarts detection
    QueueExtra& more = node_->extra(port, q);
    more.detect_from = now;
    if (more.detect != 0 && node_->meter(port, q).paused(now))
        node_->agenda_.add({now + more.detect, Task::queue_detector, port, q, 0});
}

void SwitchView::end_recovery(std::uint8_t port, std::uint8_t q, Ps now)
{
    if (!recovering(port, q))
        return;
    node_->extra(port, q).detect_from = now;
    node_->recovery_end(port, q, now);
}

bool SwitchView::recovering(std::uint8_t port, std::uint8_t q) const
{
    return (unsigned{node_->status_[port].recovering} >> q & 1U) != 0;
}

void SwitchView::take_down(std::uint8_t port, const PortDown& down, Ps now)
{
    auto off = registers(port);
    off.enabled = false;
    node_->write(port, off, now, down);
}

void SwitchView::bring_up(std::uint8_t port, Ps now)
{
    auto on = registers(port);
    on.enabled = true;
    write(port, on, now);
}

void SwitchView::lose_power(std::uint8_t port, Ps now)
{
    node_->status_[port].link.lose_power();
    take_down(port, {link::kNoReason, false}, now);
}

}  // namespace petrel::twin

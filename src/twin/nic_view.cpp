#include "twin/nic_view.hpp"

namespace petrel::twin {

NicReading NicView::read(std::uint8_t priority, Ps now) const
{
    const PauseMeter& sent = node_->sent_pause_[priority];
    PauseMeter received = node_->meters_[priority];
    received.settle(now);
    NicReading r;
    r.taken = node_->taken_[priority];
    r.pause_sent = sent.xoff + sent.xon;
    r.pausing_for = sent.paused_for(now);
    r.pausing = sent.paused(now);
    r.paused = received.paused(now);
    r.paused_for = received.paused_for(now);
    r.rx_xoff = received.xoff;
    r.rx_xon = received.xon;
    r.pauses_ended = received.ended;
    return r;
}

void NicView::set_pause_tx(std::uint8_t priorities, Ps now)
{
    node_->pause_tx_ = priorities;
    node_->out_.pause_due = static_cast<std::uint8_t>(node_->out_.xoffed & priorities);
    node_->control_.clear();
    if (node_->out_.pause_due != 0)
        node_->wake(now);
}

void NicView::start_storm(Storm storm, Ps now)
{
    storm.begun = now;
    node_->storms_.push_back(storm);
    node_->agenda_.add({now, Task::storm, 0, 0, static_cast<std::uint32_t>(node_->storms_.size() - 1)});
}

void NicView::stop_storms(Ps now)
{
    for (Storm& storm : node_->storms_)
        storm.stop = std::min(storm.stop, now);
}

void NicView::die(Ps)
{
    node_->dead_ = true;
    node_->refresh_odd();
}

void NicView::tap(Tap* tap)
{
    node_->in_.tap = tap;
    node_->refresh_odd();
}

void NicView::lose_power(Ps now)
{
    node_->link_.lose_power();
    take_down({link::kNoReason, false}, now);
}

}  // namespace petrel::twin

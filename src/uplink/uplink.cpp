#include "uplink/uplink.hpp"

#include <algorithm>
#include <iterator>

namespace petrel::uplink {

Uplink::Uplink(Acknowledged before, const Spool& spool, std::uint64_t seed, Pace pace)
    : pace_(pace), random_(static_cast<std::minstd_rand::result_type>(seed % std::minstd_rand::modulus))
{
    for (const auto& device : spool.devices()) {
        const auto first = spool.at_or_after(device, 1);
        const auto known = before.find(device);
        first_[device] = spool.last_seq(device) + 1;
        // A memory that was lost counts again from its last event.
        acknowledged_[device] = known != before.end() ? std::min(known->second, spool.last_seq(device))
                                : first               ? first->seq - 1
                                                      : spool.last_seq(device);
    }
}

std::optional<Batch> Uplink::next(const Spool& spool, bool extras, Instant now)
{
    const bool backs_off = failures_ != 0 && now < wake_;
    if (under_way_ || backs_off) {
        return std::nullopt;
    }
    auto batch = in_doubt_ ? Batch{} : collect(spool);
    batch.names_devices = in_doubt_;
    batch.manager = manager_;
    batch.recounts = in_doubt_ ? Acknowledged{} : recounts_;
    batch.with_extras = most_events_ == kMostEvents;
    if (batch.events == 0 && !in_doubt_ && !(extras && batch.with_extras) && now < wake_) {
        return std::nullopt;
    }
    under_way_ = std::move(batch);
    return under_way_;
}

Batch Uplink::collect(const Spool& spool)
{
    Batch batch;
    auto device = acknowledged_.begin();
    std::advance(device, acknowledged_.empty() ? 0 : first_device_++ % acknowledged_.size());
    for (std::size_t turn = 0; turn != acknowledged_.size(); ++turn) {
        add_events(spool, device->first, device->second, batch);
        device = std::next(device) == acknowledged_.end() ? acknowledged_.begin() : std::next(device);
    }
    return batch;
}

void Uplink::add_events(const Spool& spool, const std::string& device, std::uint64_t after, Batch& batch)
{
    while (batch.events != most_events_) {
        const auto event = spool.at_or_after(device, after + 1);
        const auto before = event ? event->seq - 1 : spool.last_seq(device);
        if (before > after) {
            add_gap({device, after + 1, before}, batch);
            after = before;
            continue;
        }
        if (!event || (batch.events != 0 && batch.lines.size() + event->json.size() >= kMostBytes)) {
            return;
        }
        batch.lines += event->json;
        batch.lines += '\n';
        ++batch.events;
        after = event->seq;
        batch.upto[device] = after;
    }
}

void Uplink::add_gap(const Gap& gap, Batch& batch)
{
    batch.gaps.push_back(gap);
    ++batch.events;
    batch.upto[gap.device] = gap.last;
    note(gap);
}

// Adds the parts of the gap that gaps_ has not had.
void Uplink::note(const Gap& gap)
{
    auto& noted = noted_[gap.device];
    auto at = gap.first;
    for (const auto& [first, last] : noted) {
        if (first > gap.last) {
            break;
        }
        if (first > at) {
            gaps_.push_back({gap.device, at, first - 1});
        }
        at = std::max(at, last + 1);
    }
    if (at <= gap.last) {
        gaps_.push_back({gap.device, at, gap.last});
    }
    auto [first, last] = std::pair{gap.first, gap.last};
    std::erase_if(noted, [&](const auto& range) {
        const bool touches = range.second + 1 >= first && range.first <= last + 1;
        first = touches ? std::min(first, range.first) : first;
        last = touches ? std::max(last, range.second) : last;
        return touches;
    });
    noted[first] = last;
}

void Uplink::stored(const Stored& stored, Instant now)
{
    const auto batch = std::exchange(under_way_, std::nullopt).value_or(Batch{});
    if (std::exchange(manager_, stored.manager) != stored.manager && !batch.names_devices) {
        in_doubt_ = true;  // it may have older files: only the answer to the next request counts
        wake_ = now;
        return;
    }
    note_recounts(batch, stored);
    bool progress = batch.events == 0;
    for (auto& [device, acknowledged] : acknowledged_) {
        const auto answered = stored.upto.find(device);
        if (answered == stored.upto.end()) {
            continue;
        }
        const auto sent = batch.upto.find(device);
        const auto upto = earlier_count(device, stored)
                              ? 0
                              : std::min(answered->second, sent != batch.upto.end() ? sent->second : acknowledged);
        progress = progress || upto > acknowledged;
        acknowledged = upto;
    }
    for (const auto& [device, last] : stored.last) {
        last_[device] = last;
    }
    if (!progress) {
        return failed(false, std::nullopt, now);
    }
    failures_ = 0;
    in_doubt_ = false;
    most_events_ = std::min(most_events_ * 2, kMostEvents);
    wake_ = recounts_.empty() ? now + pace_.heartbeat : now;
}

// What the manager has of numbers that this process gives, before it was sent any, is of records that the memory lost.
// The manager knows whether it was sent any.
void Uplink::note_recounts(const Batch& answered, const Stored& stored)
{
    recounts_.clear();
    for (const auto& [device, first] : answered.names_devices ? first_ : Acknowledged{}) {
        if (const auto last = stored.upto.find(device); last != stored.upto.end() && last->second >= first) {
            recounts_[device] = first;
        }
    }
}

// The manager has older files, from before the agent began to count again: its number is of another event.
bool Uplink::earlier_count(const std::string& device, const Stored& stored) const
{
    const auto before = last_.find(device);
    const auto now = stored.last.find(device);
    return before != last_.end() && now != stored.last.end() && now->second.epoch < before->second.epoch;
}

void Uplink::failed(bool too_much, std::optional<Duration> after, Instant now)
{
    under_way_.reset();
    in_doubt_ = true;
    if (too_much) {
        most_events_ = std::max(most_events_ / 2, std::size_t{1});
    }
    auto delay = pace_.shortest_retry;
    for (unsigned doubled = 0; doubled != failures_ && delay < pace_.longest_retry; ++doubled) {
        delay *= 2;
    }
    ++failures_;
    delay = std::min(delay, pace_.longest_retry);
    // Agents that lost the same manager at the same time must not come back at the same time.
    std::uniform_int_distribution<Duration::rep> jitter{delay.count() / 2, delay.count()};
    wake_ = now + std::max(Duration{jitter(random_)}, after.value_or(Duration::zero()));
}

std::optional<LastStored> Uplink::complete(const Spool& spool, const std::string& device) const
{
    const auto acknowledged = acknowledged_.find(device);
    const auto last = last_.find(device);
    const bool has_all = acknowledged != acknowledged_.end() && acknowledged->second >= spool.last_seq(device);
    return !in_doubt_ && has_all && last != last_.end() ? std::optional{last->second} : std::nullopt;
}

std::uint64_t Uplink::waiting(const Spool& spool) const
{
    std::uint64_t count = 0;
    for (const auto& [device, acknowledged] : acknowledged_) {
        const auto last = spool.last_seq(device);
        count += last > acknowledged ? last - acknowledged : 0;
    }
    return count;
}

}  // namespace petrel::uplink

#include "device/sonic/poll_stamp.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <utility>

namespace petrel::device::sonic {

namespace {

std::optional<Instant> read_stamp(std::string_view nanoseconds)
{
    std::int64_t ns = 0;
    const auto* end = nanoseconds.data() + nanoseconds.size();
    const auto [at, problem] = std::from_chars(nanoseconds.data(), end, ns);
    return problem == std::errc{} && at == end ? std::optional{Instant{Duration{ns}}} : std::nullopt;
}

}  // namespace

void PollStamp::watch(std::vector<std::string> keys, Duration interval, bool want_stamps)
{
    interval_ = interval;
    want_stamps_ = want_stamps;
    const auto same = [](const Canary& canary, const std::string& key) { return canary.key == key; };
    if (!std::ranges::equal(canaries_, keys, same)) {
        canaries_.clear();
        for (auto& key : keys) {
            canaries_.push_back({std::move(key), nullptr, false});
        }
        last_.reset();
    }
}

void PollStamp::start_over()
{
    for (auto& canary : canaries_) {
        canary.connection.reset();
    }
}

// The last one first: if it was written, so were the others before. With a stamp the others have nothing to add.
Result<PollStamp::Seen> PollStamp::look(Instant now, std::optional<Instant> read)
{
    std::optional<Instant> stamp;
    for (auto& canary : canaries_ | std::views::reverse) {
        const bool last = &canary == &canaries_.back();
        if (auto visited = visit(canary, last && want_stamps_ ? &stamp : nullptr); !visited) {
            return tl::unexpected(std::move(visited.error()));
        }
        if (stamp) {
            break;
        }
    }
    if (stamp && stamp == read && stamp == last_) {
        return Seen{last_, writes_, true, false};
    }
    if (std::exchange(stamped_, stamp.has_value()) != stamp.has_value()) {
        last_.reset();  // it was of another clock
    }
    return stamp ? by_stamp(*stamp) : by_grid(now);
}

// An empty transaction fails if a key that was watched has been written since.
Result<void> PollStamp::visit(Canary& canary, std::optional<Instant>* stamp)
{
    redis::Pipeline commands;
    const bool watched = canary.connection != nullptr;
    if (!watched) {
        const auto& place = databases_.at(db::Db::counters);
        auto opened = redis::Connection::open(place.address, place.number, patience_);
        if (!opened) {
            return tl::unexpected(std::move(opened.error()));
        }
        canary.connection = std::move(*opened);
    }
    if (stamp != nullptr) {
        commands.add({"HGET", "COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp"});
    }
    const auto exec = commands.size() + 1;
    if (watched) {
        commands.add({"MULTI"}).add({"EXEC"});
    }
    commands.add({"WATCH", canary.key});
    return canary.connection->run(commands, [&](std::size_t command, redis::View reply) {
        if (stamp != nullptr && command == 0) {
            *stamp = read_stamp(reply.text());
        } else if (watched && command == exec && reply.nothing()) {
            canary.written = true;
            ++writes_;
        }
    });
}

bool PollStamp::take_over()
{
    const bool over = !canaries_.empty() && canaries_.back().written;
    if (over) {
        for (auto& canary : canaries_) {
            canary.written = false;
        }
    }
    return over;
}

// With a new stamp the ports are new. Whoever reads before the queues are would read those of before as if nothing had
// happened to them. Only one poll is passed over for it: a queue that syncd does not write harms no other.
PollStamp::Seen PollStamp::by_stamp(Instant stamp)
{
    if (stamp != last_) {
        const bool waited = passed_.value_or(stamp) != stamp;
        if (!take_over() && last_ && !waited) {
            passed_ = stamp;
            return Seen{std::nullopt, writes_, true, true};
        }
        last_ = stamp;
        passed_.reset();
    }
    return Seen{last_, writes_, true, false};
}

PollStamp::Seen PollStamp::by_grid(Instant now)
{
    // Others write these keys as well, now and then: two polls are not that close to each other.
    const bool soon = last_ && now - *last_ < interval_ / 2;
    if (take_over() && !soon) {
        const auto due = last_ ? std::max(*last_ + interval_, visited_) : now;
        last_ = std::min(due, now);
    }
    visited_ = now;
    const bool under_way = !soon && std::ranges::any_of(canaries_, &Canary::written);
    return Seen{under_way ? std::nullopt : last_, writes_, false, under_way};
}

}  // namespace petrel::device::sonic

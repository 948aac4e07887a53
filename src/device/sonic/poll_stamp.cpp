#include "device/sonic/poll_stamp.hpp"

#include <algorithm>
#include <charconv>

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

void PollStamp::watch(std::vector<std::string> keys, Duration interval)
{
    interval_ = interval;
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

Result<PollStamp::Seen> PollStamp::look(db::RedisStore& store, Instant now)
{
    redis::Pipeline get;
    get.add({"HGET", "COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp"});
    std::optional<Instant> stamp;
    const auto asked =
        ask(store, db::Db::counters, get, [&](std::size_t, redis::View reply) { stamp = read_stamp(reply.text()); });
    if (!asked) {
        return tl::unexpected(asked.error());
    }
    return stamp ? Seen{stamp, 0, true} : look_at_canaries(now);
}

// An empty transaction fails if a key that was watched has been written since.
Result<void> PollStamp::visit(Canary& canary)
{
    redis::Pipeline commands;
    if (!canary.connection) {
        const auto& place = databases_.at(db::Db::counters);
        auto opened = redis::Connection::open(place.address, place.number, patience_);
        if (!opened) {
            return tl::unexpected(std::move(opened.error()));
        }
        canary.connection = std::move(*opened);
    } else {
        commands.add({"MULTI"}).add({"EXEC"});
    }
    commands.add({"WATCH", canary.key});
    return canary.connection->run(commands, [&](std::size_t command, redis::View reply) {
        if (command == 1 && reply.nothing()) {
            canary.written = true;
            ++writes_;
        }
    });
}

Result<PollStamp::Seen> PollStamp::look_at_canaries(Instant now)
{
    for (auto& canary : canaries_) {
        if (auto visited = visit(canary); !visited) {
            return tl::unexpected(std::move(visited.error()));
        }
    }
    const bool over = !canaries_.empty() && std::ranges::all_of(canaries_, &Canary::written);
    // Others write these keys as well, now and then: two polls are not that close to each other.
    const bool soon = last_ && now - *last_ < interval_ / 2;
    if (over && !soon) {
        for (auto& canary : canaries_) {
            canary.written = false;
        }
        const auto due = last_ ? std::max(*last_ + interval_, visited_) : now;
        last_ = std::min(due, now);
    }
    visited_ = now;
    return Seen{last_, writes_, false};
}

}  // namespace petrel::device::sonic

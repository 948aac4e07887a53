#include "device/sonic/poll_stamp.hpp"

#include <poll.h>

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

constexpr auto kStampKey = "COUNTERS:TIME_STAMP";
constexpr auto kReports = "__redis__:invalidate";

void ask_stamps(redis::Pipeline& commands)
{
    commands.add({"HMGET", kStampKey, "PFC_WD_Port_Counter_time_stamp", "PFC_WD_Queue_Counter_time_stamp"});
}

std::array<std::optional<Instant>, 2> stamps_in(redis::View reply)
{
    if (reply.size() != 2) {
        return {};
    }
    return {read_stamp(reply[0].text()), read_stamp(reply[1].text())};
}

}  // namespace

void wait_readable(std::span<const int> fds, Duration most)
{
    std::vector<pollfd> readable;
    for (const auto fd : fds) {
        readable.push_back({fd, POLLIN, 0});
    }
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(std::max(most, Duration::zero()));
    ::poll(readable.data(), readable.size(), static_cast<int>(ms.count()));  // a negative time would be no limit
}

void PollStamp::watch(Keys keys, Duration interval, Of counters)
{
    interval_ = interval;
    timed_by_ = counters;
    if (keys.port.empty()) {
        port_.reset();
    } else if (!port_ || port_->key != keys.port) {
        port_.emplace(Canary{.key = std::move(keys.port), .connection = nullptr});
    }
    if (stamps_[1] && !keys.queues.empty()) {
        keys.queues.emplace_back(kStampKey);
    }
    if (std::ranges::equal(canaries_, keys.queues, {}, &Canary::key)) {
        return;
    }
    auto before = std::exchange(canaries_, {});
    for (auto& key : keys.queues) {
        const auto known = std::ranges::find(before, key, &Canary::key);
        canaries_.push_back(known != before.end() ? std::move(*known)
                                                  : Canary{.key = std::move(key), .connection = nullptr});
    }
    untrack();
}

// The next visit to the last canary requests reports again. If the server cannot be reached, the next visit reports it.
void PollStamp::untrack()
{
    reports_.reset();
    visited_last_ = false;
    redis::Pipeline off;
    off.add({"CLIENT", "TRACKING", "OFF"});
    for (auto& canary : canaries_) {
        if (std::exchange(canary.tracked, false) && canary.connection) {
            (void)canary.connection->run(off);
        }
    }
}

Result<void> PollStamp::arm()
{
    for (auto& canary : canaries_) {
        if (canary.connection == nullptr) {
            if (auto visited = visit(canary); !visited) {
                return visited;
            }
        }
    }
    const bool by_port = port_ && port_->connection == nullptr && !time_of(stamps_);
    return by_port ? visit(*port_) : Result<void>{};
}

void PollStamp::start_over()
{
    for (auto& canary : canaries_) {
        canary.connection.reset();
    }
    untrack();
    if (port_) {
        port_->connection.reset();
    }
}

// Visits the last canary first: if it was written, so were the others before it. With a stamp the others are not
// needed.
Result<PollStamp::Seen> PollStamp::look(Instant now, std::optional<Instant> read)
{
    bool visited = std::exchange(visited_last_, false);
    for (auto left = canaries_.size(); left != 0; --left) {
        if (auto done = std::exchange(visited, false) ? Result<void>{} : visit(canaries_[left - 1]); !done) {
            return tl::unexpected(std::move(done.error()));
        }
        if (time_of(stamps_)) {
            break;
        }
        if (canaries_[left - 1].key == kStampKey && !stamps_[1]) {
            canaries_.pop_back();
            untrack();
        }
    }
    const auto stamp = canaries_.empty() ? std::nullopt : time_of(stamps_);
    if (!stamp) {
        if (auto done = drop_writes_of_others(); !done) {
            return tl::unexpected(std::move(done.error()));
        }
    }
    if (stamp && stamp == read && stamp == last_) {
        return Seen{last_, writes_, true, false};
    }
    if (std::exchange(stamped_, stamp.has_value()) != stamp.has_value()) {
        last_.reset();  // the last poll's time is of another clock
    }
    return stamp ? by_stamp(*stamp) : by_grid(now);
}

// Visits the port only if a poll seems to be over, so that its write is known for each poll.
Result<void> PollStamp::drop_writes_of_others()
{
    if (!port_ || canaries_.empty() || !canaries_.back().written) {
        return {};
    }
    return visit(*port_).map([&] {
        if (!port_->written && !port_->fresh) {
            for (auto& canary : canaries_) {
                canary.written = false;
            }
            first_report_ = {};  // the next report is the first of a poll
            spread_ = {};
        }
    });
}

// An empty transaction fails if a key under WATCH has been written since.
Result<void> PollStamp::visit(Canary& canary)
{
    redis::Pipeline commands;
    const bool last = !canaries_.empty() && &canary == &canaries_.back();
    const bool watched = canary.connection != nullptr;
    canary.fresh = !watched;
    if (!watched) {
        const auto& place = databases_.at(db::Db::counters);
        auto opened = redis::Connection::open(place.address, place.number, patience_);
        if (!opened) {
            return tl::unexpected(std::move(opened.error()));
        }
        canary.connection = std::move(*opened);
    }
    if (last && !std::exchange(canary.tracked, true)) {
        track(canary);
    }
    Stamps stamps;
    if (last) {
        ask_stamps(commands);
    }
    const auto first = commands.size();
    if (canary.key != kStampKey) {
        if (watched) {
            commands.add({"MULTI"}).add({"EXEC"});
        }
        commands.add({"WATCH", canary.key});
    }
    auto done = canary.connection->run(commands, [&](std::size_t command, redis::View reply) {
        if (command < first) {
            stamps = stamps_in(reply);
        } else if (watched && command == first + 1 && reply.nothing()) {
            canary.written = true;
            writes_ += port_ && &canary == &*port_ ? 0U : 1U;
        }
    });
    if (done && last) {
        take_stamps(canary, stamps);
    }
    return done;
}

// syncd writes stamps of other counters to the same key. It reads queues after ports: if the stamp of queues is the
// older one, the next poll is under way.
void PollStamp::take_stamps(Canary& last, const Stamps& stamps)
{
    const auto [ports, queues] = stamps;
    const bool changed = std::exchange(stamps_, stamps)[1] != queues;
    if (last.key == kStampKey) {
        last.written = (last.written || changed) && queues && queues >= ports;
        writes_ += changed ? 1 : 0;
    }
}

// Requests reports of writes, which arrive on a separate connection. An older server refuses; then only visits find
// polls.
//
// A queue is written twice for each poll, and the server reports both writes (BCAST). For that, it compares every write
// with the prefix. The key of stamps does without: each visit reads it, and the server reports the next write to a key
// that was read.
void PollStamp::track(Canary& last)
{
    reports_.reset();
    if (!wait_) {
        return;
    }
    const auto& place = databases_.at(db::Db::counters);
    auto opened = redis::Connection::open(place.address, place.number, patience_);
    if (!opened) {
        return;
    }
    std::int64_t id = 0;
    redis::Pipeline subscribe;
    subscribe.add({"CLIENT", "ID"}).add({"SUBSCRIBE", kReports});
    const auto subscribed = (*opened)->run(
        subscribe, [&](std::size_t command, redis::View reply) { id = command == 0 ? reply.number() : id; });
    bool refused = false;
    const auto reporter = std::to_string(id);
    std::vector<std::string_view> on{"CLIENT", "TRACKING", "ON", "REDIRECT", reporter};
    if (last.key != kStampKey) {
        on.insert(on.end(), {"BCAST", "PREFIX", last.key});
    }
    redis::Pipeline tracking;
    tracking.add(on);
    const auto tracked =
        last.connection->run(tracking, [&](std::size_t, redis::View reply) { refused = reply.error(); });
    if (subscribed && tracked && !refused) {
        reports_ = std::move(*opened);
    }
}

// None: the server does not report writes (any more).
std::optional<bool> PollStamp::take_reports(Instant now)
{
    bool any = false;
    if (reports_ && !reports_->messages([&](redis::View) { any = true; })) {
        untrack();
    }
    if (any) {
        note_report(now);
    }
    return reports_ ? std::optional{any} : std::nullopt;
}

// Other processes write the key now and then, which lengthens the spread. So settle_ decreases from poll to poll.
void PollStamp::note_report(Instant now)
{
    if (now - first_report_ < interval_ / 2) {
        spread_ = std::max(spread_, now - first_report_);
        settle_ = std::max(settle_, spread_ + kLeastSettle);
    } else {
        settle_ = std::max(settle_ - settle_ / 8, std::exchange(spread_, {}) + kLeastSettle);
        first_report_ = now;
    }
    settle_ = std::min(settle_, interval_ / 5);
}

// Whether the reported write is the end of a poll. If the visit fails, look() reports the error.
bool PollStamp::ends_poll()
{
    auto& last = canaries_.back();
    if (last.key != kStampKey) {
        return true;
    }
    const bool visited = visit(last).has_value();
    visited_last_ = visited && last.written;
    return !visited || last.written;
}

bool PollStamp::await(const TimeSource& clock, Duration most, std::span<const int> others)
{
    const auto now = [&] { return clock.now().mono; };
    const auto until = now() + most;
    written_at_.reset();
    visited_last_ = false;
    auto reported = take_reports(now());
    bool over = reported == true && ends_poll();
    while (reports_ && !over && now() < until) {
        std::vector<int> fds{reports_->fd()};
        fds.insert(fds.end(), others.begin(), others.end());
        wait_(fds, until - now());
        reported = take_reports(now());
        if (reported == false) {
            break;  // the time is over, or another descriptor is readable
        }
        over = reported == true && ends_poll();
        if (over) {
            written_at_ = now();
        }
    }
    if (reports_ && !over) {
        visited_ = now();  // no poll was over until now
    }
    for (bool more = over && canaries_.back().key != kStampKey; more && now() < first_report_ + settle_;
         more = take_reports(now()) == true) {
        const std::array fds{reports_->fd()};
        wait_(fds, first_report_ + settle_ - now());
    }
    return !reports_ || over;
}

Result<std::optional<Instant>> PollStamp::stamp_of_syncd(db::RedisStore& store) const
{
    Stamps stamps;
    redis::Pipeline get;
    ask_stamps(get);
    return run(store, db::Db::counters, get, [&](std::size_t, redis::View reply) { stamps = stamps_in(reply); })
        .map([&] { return time_of(stamps); });
}

Result<bool> PollStamp::is_precise(db::RedisStore& store) const
{
    auto stamp = stamp_of_syncd(store);
    if (!stamp || stamp->has_value() || !wait_) {
        return stamp.map([](const auto& at) { return at.has_value(); });
    }
    bool reports = true;
    redis::Pipeline get;
    get.add({"CLIENT", "GETREDIR"});  // servers that have this command have tracking
    return run(store, db::Db::counters, get, [&](std::size_t, redis::View reply) { reports = !reply.error(); })
        .map([&] { return reports; });
}

bool PollStamp::take_over()
{
    const bool over = !canaries_.empty() && canaries_.back().written;
    if (over) {
        for (auto& canary : canaries_) {
            canary.written = false;
        }
        if (port_) {
            port_->written = false;
        }
    }
    return over;
}

// With a new stamp the port counters are fresh, but the queue counters may still be those of the poll before: report
// the poll as under way until the last queue is written. At most one poll is skipped for it, so that a queue that syncd
// does not write does not hold up the others.
PollStamp::Seen PollStamp::by_stamp(Instant stamp)
{
    if (stamp != last_) {
        const bool waited = passed_.value_or(stamp) != stamp;
        if (!take_over() && last_ && !waited && !canaries_.back().fresh) {
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
    // Other processes write these keys as well, now and then. A write within half an interval of the last poll is no
    // poll. A write to the last queue alone is no poll either: syncd writes the first queue before the last, and look()
    // visits the last before the first.
    const bool soon = last_ && now - *last_ < interval_ / 2;
    if (!canaries_.empty() && !canaries_.front().written && !canaries_.front().fresh) {
        canaries_.back().written = false;
    }
    if (take_over() && !soon) {
        const auto due = last_ ? std::max(*last_ + interval_, visited_) : now;
        last_ = std::exchange(written_at_, std::nullopt).value_or(std::min(due, now));  // of one poll only
    }
    visited_ = now;
    const bool under_way = !soon && std::ranges::any_of(canaries_, &Canary::written);
    return Seen{under_way ? std::nullopt : last_, writes_, false, under_way};
}

}  // namespace petrel::device::sonic

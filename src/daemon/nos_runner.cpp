#include "daemon/nos_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace petrel::daemon {

namespace {

using namespace std::chrono_literals;

// The time between two exchanges with the NOS: the least, and the most if neither side has changes and the NOS shows
// when it has some.
constexpr Duration kEvery = 100ms;
constexpr Duration kAnyway = 1s;
// How often the NOS gets the statistics of mitigated queues: as often as SONiC's own watchdog writes them.
constexpr Duration kStatisticsEvery = 1s;
// Bounds the rows that the loop describes in one exchange: all queues of a large switch at once would delay looks.
constexpr std::uint32_t kRowsAtOnce = 2048;

std::set<NosQueue> queues_of(const watchdog::Inventory& inventory, const std::string& device)
{
    std::set<NosQueue> queues;
    for (const auto& row : inventory.rows) {
        if (row.target.priority) {
            queues.insert({inventory.ports[row.target.port.index].name, row.target.priority->value, device});
        }
    }
    return queues;
}

}  // namespace

NosRunner::NosRunner(runner::Loop& loop, std::unique_ptr<runner::Worker> worker, std::unique_ptr<Nos> nos,
                     const std::vector<std::unique_ptr<DeviceRunner>>& runners, Calls calls)
    : loop_(loop), nos_(std::move(nos)), runners_(runners), calls_(std::move(calls)), worker_(std::move(worker))
{}

NosRunner::~NosRunner()
{
    if (timer_) {
        loop_.cancel(*timer_);
    }
}

void NosRunner::start() { exchange(); }

void NosRunner::set_overrides(std::map<std::string, std::string> by_port)
{
    overrides_ = std::move(by_port);
    exchange_soon();
}

void NosRunner::event_written(const DeviceRunner& runner, const watchdog::Watchlist& watchlist,
                              const watchdog::Event& event)
{
    const auto& inventory = watchlist.inventory;
    std::optional<Slot> row_meant;
    if (const auto* agent = runner.agent()) {
        auto& changed = progress_[&runner].changed;
        // An event of a port changes all its queues.
        const auto& rows = agent->watchdog().row_map();
        rows.for_rows_of(event.target, [&](Slot row) {
            changed.insert(row);
            if (rows.target(row) == event.target) {
                row_meant = row;
            }
        });
        for (std::uint32_t row = 0; event.whole_device && row != inventory.rows.size(); ++row) {
            changed.insert(Slot{row});
        }
    }
    if (event.target.priority) {
        const auto& policies = watchlist.policies;
        auto& added = events_.emplace_back();
        added.kind = event.kind;
        added.port = inventory.ports[event.target.port.index].name;
        added.priority = event.target.priority->value;
        added.configured = event.policy < policies.size() ? policies[event.policy].action : watchdog::Treatment::none;
        added.applied = event.action;
        added.at = wall_time(loop_.now(), event.at);
        added.reason = event.reason;
        added.device = runner.name();
        added.cause = event.cause;
        if (event.evidence.looks != 0) {
            added.last_look = event.evidence.last.at(event.evidence.looks - 1U);
        }
        if (row_meant && runner.intake() != nullptr) {
            added.counts = runner.intake()->pfc_counts(*row_meant);
        }
    }
    exchange_soon();
}

Nos::Report NosRunner::collect()
{
    Nos::Report report;
    report.events = std::exchange(events_, {});
    report.overrides = overrides_;
    for (const auto& runner : runners_) {
        if (runner->agent() != nullptr) {
            auto& progress = progress_[runner.get()];
            collect(*runner, progress, report);
            collect_counts(*runner, progress, report);
            collect_buffers(*runner, progress, report);
        }
    }
    return report;
}

void NosRunner::collect(const DeviceRunner& runner, Progress& progress, Nos::Report& report)
{
    const auto now = loop_.now().mono;
    const auto& dog = runner.agent()->watchdog();
    const auto rows = static_cast<std::uint32_t>(dog.watchlist().rows.size());
    if (progress.watchlist != runner.watchlist_generation()) {
        auto queues = queues_of(dog.watchlist().inventory, runner.name());
        std::ranges::set_difference(progress.queues, queues, std::back_inserter(report.gone));
        progress =
            Progress{runner.watchlist_generation(), std::move(queues), 0, {}, now, 0, now, std::move(progress.buffers)};
    }
    if (nos_->shows_statistics() && now >= progress.next_statistics) {
        progress.next_statistics = now + kStatisticsEvery;
        for (std::uint32_t row = 0; row != rows; ++row) {
            if (!at_rest(dog.phase(Slot{row}))) {
                progress.changed.insert(Slot{row});
            }
        }
    }
    const auto add_queue = [&](Slot row) {
        if (dog.watchlist().inventory.rows[row.value].target.priority) {
            report.queues.push_back(queue_report(runner, row, now));
        }
    };
    for (const auto row : std::exchange(progress.changed, {})) {
        if (row.value < progress.next_row) {
            add_queue(row);
        }
    }
    const auto last = std::min(progress.next_row + kRowsAtOnce, rows);
    const auto& inventory = dog.watchlist().inventory.rows;
    const auto same_port = [&](std::uint32_t row) {
        return row != 0 && row < rows && inventory[row].target.port == inventory[row - 1].target.port;
    };
    // Do not split the queues of a port between two exchanges.
    for (; progress.next_row < last || same_port(progress.next_row); ++progress.next_row) {
        add_queue(Slot{progress.next_row});
    }
}

// Collects the counters of all rows, kRowsAtOnce in each exchange.
void NosRunner::collect_counts(const DeviceRunner& runner, Progress& progress, Nos::Report& report)
{
    const auto now = loop_.now();
    const auto* intake = runner.intake();
    const bool begins = progress.next_count == 0;
    if (!counts_every_ || intake == nullptr || (begins && now.mono < progress.next_counts)) {
        return;
    }
    if (begins) {
        progress.next_counts = now.mono + *counts_every_;
    }
    const auto& inventory = runner.agent()->watchdog().watchlist().inventory;
    const auto rows = static_cast<std::uint32_t>(inventory.rows.size());
    const auto last = std::min(progress.next_count + kRowsAtOnce, rows);
    for (auto row = progress.next_count; row != last; ++row) {
        const auto& target = inventory.rows[row].target;
        if (target.priority) {
            const auto counts = intake->pfc_counts(Slot{row});
            report.counts.push_back({inventory.ports[target.port.index].name, target.priority->value,
                                     wall_time(now, counts.read_at), counts, runner.name()});
        }
    }
    progress.next_count = last == rows ? 0 : last;
}

void NosRunner::collect_buffers(const DeviceRunner& runner, Progress& progress, Nos::Report& report)
{
    if (const auto* shown = runner.buffers(); shown != nullptr && *shown != progress.buffers) {
        progress.buffers = *shown;
        report.buffers.push_back({runner.name(), runners_.size() == 1 ? "" : runner.name() + '.', *shown});
    }
}

void NosRunner::exchange()
{
    timer_.reset();
    if (std::exchange(under_way_, true)) {
        return;
    }
    last_sent_ = static_cast<bool>(stopping_);
    // There is always room: only one exchange is under way at a time.
    [[maybe_unused]] const bool added =
        worker_->add(runner::JobKind::other, [this, alive = std::weak_ptr{alive_}, report = collect()]() mutable {
            auto reply = exchange_in_worker(std::move(report));
            loop_.post([this, alive, reply = std::move(reply)]() mutable {
                if (alive.lock()) {
                    take(std::move(reply));
                }
            });
        });
}

// Called in the worker's thread.
Nos::Reply NosRunner::exchange_in_worker(Nos::Report report)
{
    worker_->when_readable(-1, {});  // the exchange may close the file
    auto reply = nos_->exchange(std::move(report));
    if (reply.changes_fd >= 0) {
        worker_->when_readable(reply.changes_fd, [this, alive = std::weak_ptr{alive_}] {
            loop_.post([this, alive] {
                if (alive.lock()) {
                    exchange_soon();
                }
            });
        });
    }
    return reply;
}

void NosRunner::take(Nos::Reply reply)
{
    under_way_ = false;
    exchanged_ = loop_.now().mono;
    const bool waits = reply.changes_fd >= 0;
    follow(std::move(reply));
    if (stopping_) {
        return last_sent_ ? finish() : exchange();
    }
    timer_ = loop_.at(exchanged_ + (waits && !has_more() ? kAnyway : kEvery), [this] { exchange(); });
}

// Whether collect() has something to report.
bool NosRunner::has_more() const
{
    return !events_.empty() || std::ranges::any_of(runners_, [&](const auto& runner) {
        const auto at = progress_.find(runner.get());
        return runner->agent() != nullptr &&
               (at == progress_.end() || at->second.watchlist != runner->watchlist_generation() ||
                at->second.next_row < runner->agent()->watchdog().watchlist().rows.size() ||
                !at->second.changed.empty());
    });
}

// If an exchange is under way, take() plans the next one.
void NosRunner::exchange_soon()
{
    if (!timer_ || stopping_) {
        return;
    }
    loop_.cancel(*timer_);
    timer_ = loop_.at(std::max(exchanged_ + kEvery, loop_.now().mono), [this] { exchange(); });
}

void NosRunner::follow(Nos::Reply reply)
{
    concern_ = std::move(reply.concern);
    const auto before = std::exchange(trouble_, reply.trouble);
    if (!trouble_.empty() && trouble_ != before) {  // log each trouble once, not at each exchange
        calls_.log({Log::Level::error,
                    "nos_trouble",
                    {},
                    {},
                    fmt::format("{}: {}; the last configuration stays in force", nos_->name(), trouble_),
                    {}});
    } else if (trouble_.empty() && !before.empty()) {
        calls_.log({Log::Level::notice, "nos_good", {}, {}, fmt::format("{} works again", nos_->name()), {}});
    }
    counts_every_ = reply.counts_every;
    for (const auto& line : reply.lines) {
        calls_.log(line);
    }
    if (reply.policies) {
        calls_.configured(std::move(*reply.policies));
    }
}

void NosRunner::tables(control::ControlRequest request, Answered done)
{
    if (stopping_) {
        return done(tl::unexpected(Error{ErrorKind::unreachable, "the agent is being stopped"}));
    }
    if (table_requests_ == kMostTableRequests) {
        return done(tl::unexpected(Error{ErrorKind::exhausted, "too many requests for tables at once: try again"}));
    }
    ++table_requests_;
    [[maybe_unused]] const bool added =
        worker_->add(runner::JobKind::other, [this, alive = std::weak_ptr{alive_}, report = collect(),
                                              request = std::move(request), done = std::move(done)]() mutable {
            const auto overrides = report.overrides;
            std::vector<Nos::Reply> replies{exchange_in_worker(std::move(report))};
            auto answer = nos_->tables(request);
            if (request.command == control::ControlRequest::Command::table_change) {
                replies.push_back(exchange_in_worker({{}, {}, {}, {}, overrides, {}}));
            }
            loop_.post([this, alive, replies = std::move(replies), answer = std::move(answer), done = std::move(done)] {
                if (!alive.lock()) {
                    return;
                }
                for (const auto& reply : replies) {
                    follow(reply);
                }
                if (answer && answer->threshold) {
                    return set_threshold(*answer->threshold, done);
                }
                --table_requests_;
                done(answer.map(&Nos::Answer::report));
            });
        });
}

void NosRunner::set_threshold(const Nos::Answer::Threshold& wanted, Answered done)
{
    const auto runner = std::ranges::find(runners_, wanted.device, [](const auto& each) { return each->name(); });
    (*runner)->set_dynamic_threshold(
        wanted.profile, wanted.exponent,
        [this, alive = std::weak_ptr{alive_}, done = std::move(done)](const Result<void>& set) {
            if (alive.lock()) {
                show_device(set.map([] { return control::TableReport{}; }), done);
            }
        });
}

// Answers a request that was carried out in the device. Before that, the tables show the device as it is now.
void NosRunner::show_device(Result<control::TableReport> answer, Answered done)
{
    [[maybe_unused]] const bool added =
        worker_->add(runner::JobKind::other, [this, alive = std::weak_ptr{alive_}, report = collect(),
                                              answer = std::move(answer), done = std::move(done)]() mutable {
            auto reply = exchange_in_worker(std::move(report));
            loop_.post([this, alive, reply = std::move(reply), answer = std::move(answer), done = std::move(done)] {
                if (alive.lock()) {
                    --table_requests_;
                    follow(reply);
                    done(answer);
                }
            });
        });
}

void NosRunner::stop(std::function<void()> done)
{
    stopping_ = std::move(done);
    if (timer_) {
        loop_.cancel(*timer_);
        timer_.reset();
    }
    if (!under_way_) {
        exchange();  // sends what the stop has changed
    }
}

void NosRunner::finish()
{
    [[maybe_unused]] const bool added = worker_->add(runner::JobKind::other, [this, alive = std::weak_ptr{alive_}] {
        auto left = nos_->leave();
        loop_.post([this, alive, left = std::move(left)] {
            if (!alive.lock()) {
                return;
            }
            if (!left) {
                calls_.log({Log::Level::error, "nos_not_left", {}, {}, left.error().what, {}});
            }
            stopping_();
        });
    });
}

}  // namespace petrel::daemon

#include "runner/device_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <utility>

#include "base/complaint_text.hpp"
#include "base/fault_point.hpp"
#include "codec/checkpoint_json.hpp"
#include "codec/event_json.hpp"
#include "words/words.hpp"

namespace petrel::runner {

namespace {

using namespace std::chrono_literals;
using watchdog::Outcome;
using watchdog::Verdict;

// If a device cannot be opened, the runner tries again after 1 s, then 2 s, 4 s ..., at most 30 s.
constexpr Duration kFirstRetry = 1s;
constexpr Duration kLastRetry = 30s;

// At most this many notices that arrive before the agent exists wait for it. Further ones are dropped.
constexpr std::size_t kMostEarlyNotices = 1024;

// The statistics of a mitigated queue and the drift of time stamps change without events. A killed process loses at
// most this much of them.
constexpr Duration kSaveEvery = 10s;
constexpr std::int32_t kDriftWorthSavingPpm = 1'000;

// Events that may wait do so kRememberRest times as long as the last write took, but at most kRememberLatest.
constexpr int kRememberRest = 9;
constexpr Duration kRememberLatest = 250ms;

// A failed write is repeated after kRememberRest times as long as it took, but not before kFirstRewrite and at the
// latest after kSaveEvery.
constexpr Duration kFirstRewrite = 1s;

}  // namespace

DeviceRunner::DeviceRunner(Loop& loop, RunnerHost& host, Setup setup, std::shared_ptr<const Policies> policies)
    : loop_(loop),
      host_(host),
      setup_(std::move(setup)),
      policies_(std::move(policies)),
      health_(loop, host, setup_.name),
      links_(std::move(setup_.links)),
      calls_(
          loop, std::move(setup_.worker), *setup_.source, *setup_.memory, *this,
          [this](const std::string& text) { health_.note(text); }, setup_.fault_hook)
{}

DeviceRunner::~DeviceRunner()
{
    for (auto* timer : {&wake_, &overdue_, &retry_, &save_, &remember_, &worker_watch_, &late_effects_, &next_links_}) {
        cancel(*timer);
    }
    for (auto& [id, timer] : commands_) {
        cancel(timer);
    }
}

void DeviceRunner::start(Duration wait)
{
    if (!memory().damage().empty()) {
        health_.log(LogLevel::error, "state_damaged", memory().damage());
    }
    if (memory().tail_dropped() != 0) {
        health_.log(
            LogLevel::notice, "state_tail_dropped",
            fmt::format("the last {} bytes of the memory are an unfinished record: left out", memory().tail_dropped()));
    }
    if (!links_.damage().empty()) {
        health_.log(LogLevel::error, "link_history_damaged", links_.damage());
    }
    watch_worker();
    if (wait == Duration{}) {
        return open();
    }
    health_.become(Condition::opening, fmt::format("the agent was started too often: waits {}", seconds_text(wait)));
    plan(retry_, loop_.now().mono + wait, [this] { open(); });
    // The agent does not watch the device until then. If a process that died had replaced another detector, put that
    // detector back for this time.
    calls_.put_back([this](const Result<void>& done) {
        if (!done) {
            health_.log(LogLevel::error, "device_not_put_back", done.error().what);
        }
    });
}

void DeviceRunner::open()
{
    calls_.open([this](Result<Opened> opened) {
        if (!opened) {
            return try_again(opened.error().what);
        }
        gather(std::move(*opened));
    });
}

// Reports the first failure too: it is the cause, and later attempts may fail because of it.
void DeviceRunner::try_again(const std::string& why)
{
    if (stopping_) {
        return;
    }
    const auto wait = std::min<Duration>(kFirstRetry * (1U << std::min(attempts_, 5U)), kLastRetry);
    ++attempts_;
    if (first_failure_.empty()) {
        first_failure_ = why;
    }
    const auto causes =
        why == first_failure_ ? why : fmt::format("{}; a later attempt failed too: {}", first_failure_, why);
    health_.become(Condition::failing, fmt::format("{}; tried again in {}", causes, seconds_text(wait)));
    plan(retry_, loop_.now().mono + wait, [this] { open(); });
}

void DeviceRunner::gather(Opened opened)
{
    if (stopping_) {
        return;
    }
    opened_ = std::move(opened);
    const auto& has = opened_->inventory;
    health_.log(
        LogLevel::info, "device_opened",
        fmt::format("opened: {}, {}", count_text(has.ports.size(), "port"), count_text(has.rows.size(), "row")));
    if (opened_->journal_tail_dropped != 0) {
        health_.log(LogLevel::notice, "journal_tail_dropped",
                    fmt::format("the last {} bytes of the journal are an unfinished record: left out",
                                opened_->journal_tail_dropped));
    }
    if (opened_->journal_absent != 0) {
        health_.log(
            LogLevel::warning, "journal_strangers",
            fmt::format("{} of the journal at ports that the device does not have now: kept until they are back",
                        count_text(opened_->journal_absent, "mitigation")));
    }
    health_.become(Condition::starting, "reads which treatments are in force");
    calls_.gather(remembered(), [this](Result<agent::Start> start) {
        if (!start) {
            return try_again(start.error().what);
        }
        begin(*start);
    });
}

Result<void> DeviceRunner::order(const watchdog::Order& order)
{
    if (!agent_ || stopping_) {
        return tl::unexpected(not_watched());
    }
    step(order);
    return {};
}

Error DeviceRunner::not_watched() const
{
    return {ErrorKind::unreachable,
            fmt::format("{} is not being watched: {}", name(), stopping_ ? "it is stopped" : why())};
}

void DeviceRunner::set_dynamic_threshold(const std::string& profile, int exponent,
                                         std::function<void(const Result<void>&)> done)
{
    if (!agent_ || stopping_) {
        return done(tl::unexpected(not_watched()));
    }
    calls_.set_dynamic_threshold(profile, exponent, [this, done = std::move(done)](const ThresholdSet& set) {
        opened_->buffers = set.buffers.value_or(opened_->buffers);
        done(set.done);
    });
}

void DeviceRunner::stop(config::StopPolicy policy, const std::string& by)
{
    if (stopping_) {
        return;
    }
    stopping_ = policy;
    cancel(retry_);
    cancel(late_effects_);
    if ((agent_ || unfit_) && policy == config::StopPolicy::restore) {
        delegate_detection({});
    }
    if (agent_) {
        const bool hold = policy == config::StopPolicy::hold;
        using Kind = watchdog::Order::Kind;
        step(watchdog::Order{hold ? Kind::stop_and_hold : Kind::stop, std::nullopt, by});
    }
    stop_if_done();
}

void DeviceRunner::stop_if_done()
{
    if (!stopping_ || closing_ || stopped() || watch_calls_ != 0 || (agent_ && !agent_->stopped())) {
        return;
    }
    if (agent_) {
        remember();
    } else if (*stopping_ == config::StopPolicy::restore) {
        leave_journaled();
    }
    close_device();
}

void DeviceRunner::give_up()
{
    if (closing_ || stopped()) {
        return;
    }
    leave_journaled();
    left_behind_ = std::max<std::size_t>(left_behind_, 1);
    if (agent_) {
        remember();
        stop_watching();
    }
    close_device();
}

// Always closes the device, also if its treatments stay in force: the device may have changed other things that it puts
// back. If the device hangs, the runner does not wait for it.
void DeviceRunner::close_device()
{
    closing_ = true;
    const auto closed = [this](const Result<void>& done) {
        cancel(retry_);
        if (stopped()) {
            return;  // the runner has stopped waiting for this answer
        }
        if (!done) {
            ++left_behind_;
            health_.log(LogLevel::error, "device_not_put_back", done.error().what);
        }
        health_.become(Condition::stopped, "");
        host_.settled(*this);
    };
    plan(retry_, loop_.now().mono + setup_.hang_after, [this, closed] {
        closed(setup_.source->journal_is_complete()
                   ? Result<void>{}
                   : tl::unexpected(Error{ErrorKind::timed_out, "does not answer: nothing is put back"}));
    });
    calls_.close(*stopping_, closed);
}

void DeviceRunner::stop_watching()
{
    agent_.reset();
    snapshot_.reset();
    for (auto* timer : {&wake_, &overdue_, &save_, &remember_, &late_effects_, &next_links_}) {
        cancel(*timer);
    }
    next_look_.reset();
    links_wanted_ = false;
}

// Counts the treatments that stay in force, from the journal and without the device. If the journal cannot be read, the
// queues that the memory lists as treated are counted and named.
void DeviceRunner::leave_journaled()
{
    const auto journaled = memory().journaled();
    if (journaled) {
        left_behind_ = *journaled;
        return;
    }
    const auto saved = memory().load(loop_.now());
    const auto queues = saved ? codec::treated_queues(saved->checkpoint) : std::vector<std::string>{};
    left_behind_ = std::max<std::size_t>(queues.size(), 1);
    left_details_ =
        fmt::format("its journal {} cannot be read ({}), so nothing was restored; {}", memory().journal_name(),
                    journaled.error().what,
                    queues.empty() ? std::string{"which queues are treated is not known: look at the device"}
                                   : fmt::format("still treated: {}", fmt::join(queues, ", ")));
}

void DeviceRunner::keep_state_name() { host_.name_kept(memory().state_name(), setup_.memory->keep()); }

// Called by the device in any thread.
void DeviceRunner::post(const watchdog::Notice& notice) noexcept
{
    loop_.post([this, alive = std::weak_ptr{alive_}, notice] {
        if (!alive.lock()) {
            return;
        }
        if (agent_) {
            step(notice);
            if (notice.kind == watchdog::Notice::Kind::link_down || notice.kind == watchdog::Notice::Kind::link_up) {
                read_links();
            }
        } else if (early_.size() < kMostEarlyNotices) {
            early_.push_back(notice);
        }
    });
}

void DeviceRunner::step(const agent::Input& input)
{
    if (!agent_) {
        return;  // an answer to a request of an agent that does not exist any more
    }
    snapshot_.reset();
    if (const auto* list = std::get_if<watchdog::Watchlist>(&input)) {
        if (!unwritten_.empty()) {
            remember();  // the events use the rows of the old watchlist
        }
        ++watchlist_generation_;
        share_watched_rows(*list);
    }
    output_.clear();
    agent_->step(input, loop_.now(), output_);
    collect();
}

void DeviceRunner::collect()
{
    collect_events();
    for (const auto& wanted : output_.box.commands) {
        command(wanted);
    }
    if (links_wanted_ && !lent_) {
        read_links();  // behind the commands, which must not wait for it, and before the next look
    }
    if (const auto& wanted = output_.look) {
        plan(overdue_, wanted->deadline, [this, id = wanted->look] { step(agent::Overdue{id}); });
        look({wanted->look, {wanted->rows.begin(), wanted->rows.end()}, intake_, opened_->inventory.generation});
    }
    cancel(wake_);
    if (PETREL_FAULT_POINT(32)) {
        output_.wake = loop_.now().mono;  // a tick that is not due
    }
    if (output_.wake != kNever) {
        plan(wake_, output_.wake, [this] { step(agent::Tick{}); });
    }
    stop_if_done();
}

// Events are written before the host receives them and before their commands go out. So a process that dies afterwards
// loses no event that was published, and no sequence number is used twice. Events without commands at their port may
// wait for others: each record holds the whole checkpoint, which takes long to write during many storms, and outcomes
// come one by one.
void DeviceRunner::collect_events()
{
    const auto now = loop_.now();
    const auto& list = agent_->watchdog().watchlist();
    for (const auto& event : output_.box.events) {
        unwritten_.push_back({event.seq, codec::event_json(event, wall_time(now, event.at), list, name())});
        unreported_.push_back(event);
    }
    if (unwritten_.empty()) {
        return;
    }
    const auto led_to = [&](const watchdog::Command& command) {
        return std::ranges::any_of(unreported_, [&](const watchdog::Event& event) {
            return event.whole_device || event.target.port == command.target.port;
        });
    };
    if (std::ranges::any_of(output_.box.commands, led_to)) {
        return remember();
    }
    if (!remember_) {
        const auto next = PETREL_FAULT_POINT(4) ? now.mono + kRememberLatest : next_remember_;
        plan(remember_, std::max(now.mono, next), [this] { remember(); });
    }
}

void DeviceRunner::remember()
{
    const auto now = loop_.now();
    auto checkpoint = agent_->save(now.mono);
    checkpoint.drift_ppm = saved_drift_ppm_ = drift_.ppm().value_or(0);
    const auto text = codec::checkpoint_json(checkpoint, agent_->watchdog().watchlist().inventory);
    const auto events = std::exchange(unwritten_, {});
    const auto written = setup_.memory->append(events, text, now);
    host_.state_written(*this, written);
    cancel(remember_);
    const auto done = loop_.now().mono;
    const Duration rest = kRememberRest * (done - now.mono);
    next_remember_ = done + std::min(rest, kRememberLatest);
    if (!written) {
        plan(save_, done + std::clamp(rest, kFirstRewrite, kSaveEvery), [this] {
            save_now_and_then();
            remember();
        });
    }
    const auto reported = std::exchange(unreported_, {});
    for (std::size_t i = 0; i != reported.size(); ++i) {
        if (reported[i].kind != watchdog::EventKind::link_down && reported[i].kind != watchdog::EventKind::link_up) {
            last_[reported[i].target] = reported[i];
        }
        host_.event_written(*this, agent_->watchdog().watchlist(), reported[i], events[i].json);
    }
}

// Saves what changes without an event.
void DeviceRunner::save_now_and_then()
{
    plan(save_, loop_.now().mono + kSaveEvery, [this] {
        save_now_and_then();
        if (worth_saving()) {
            remember();
        }
    });
}

// The statistics of a queue in a storm change all the time. The drift of time stamps is learned from any pause.
bool DeviceRunner::worth_saving() const
{
    if (std::abs(drift_.ppm().value_or(saved_drift_ppm_) - saved_drift_ppm_) >= kDriftWorthSavingPpm) {
        return true;
    }
    const auto& dog = agent_->watchdog();
    const auto rows = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(dog.watchlist().rows.size()));
    return std::ranges::any_of(rows, [&](std::uint32_t row) { return !at_rest(dog.phase(Slot{row})); });
}

void DeviceRunner::look(Look wanted)
{
    if (lent_) {
        next_look_ = std::move(wanted);
        return;
    }
    lent_ = true;
    calls_.look(std::move(wanted), [this](const Looked& looked) { take(looked); });
}

// Uses a look also if it is late: reading may have cleared what it reports, so no later look reports it.
void DeviceRunner::take(const Looked& looked)
{
    lent_ = false;
    if (!next_look_) {
        cancel(overdue_);
    }
    if (closing_) {
        return;  // the call that closes the device waits behind this look: no call may follow it
    }
    if (looked.journal) {
        host_.name_kept(memory().journal_name(), *looked.journal);
    }
    last_look_ = looked.took;
    longest_look_ = std::max(longest_look_, looked.took);
    follow_unseen(looked);
    if (looked.wants_reopening && agent_ && !stopping_) {
        return reopen(looked.read);
    }
    judge(looked);
    const bool other_rows = looked.changed && looked.numbering != opened_->numbering;
    if (!agent_) {
        return;
    }
    if (!other_rows && looked.intake == intake_) {
        if (looked.changed) {
            intake_->learn_speeds(*looked.changed);  // before step(), which may lend the intake to the next look
        }
        drift_ = looked.intake->stamp_drift();
        health_.follow_drift(drift_);
        step(agent::LookDone{looked.id, looked.read ? &looked.intake->view() : nullptr});
    }
    if (looked.changed) {
        follow(looked);
    }
    if (links_wanted_ && !lent_) {
        read_links();
    }
    if (next_look_ && !lent_) {
        auto next = *std::exchange(next_look_, std::nullopt);
        look(std::move(next));
    }
}

// The treatments of the device may have changed meanwhile: read the treatments in force again, as at a start. A device
// that could not be read is failing, and gets a pause before the runner opens it.
void DeviceRunner::reopen(const Result<void>& read)
{
    remember();
    stop_watching();
    for (auto& [id, timer] : commands_) {
        cancel(timer);
    }
    commands_.clear();
    if (!read) {
        return try_again(read.error().what);
    }
    health_.become(Condition::starting, "the device is opened again");
    open();
}

// Queues that the device cannot read, and queues whose counters prove nothing.
void DeviceRunner::follow_unseen(const Looked& looked)
{
    const auto& blind = looked.intake->blind_rows();
    const std::pair followed{blind.changes(), watchlist_generation_};
    if (!looked.unseen && (followed == blind_followed_ || looked.intake != intake_)) {
        return;
    }
    unseen_by_device_ = looked.unseen.value_or(unseen_by_device_);
    std::map<std::string, std::string> now;
    for (const auto& [queue, why] : unseen_by_device_) {
        now.emplace(queue, why);
    }
    if (agent_ && looked.intake == intake_) {
        blind_followed_ = followed;
        const auto& list = agent_->watchdog().watchlist();
        for (std::uint32_t row = 0; blind.changes() != 0 && row != list.rows.size(); ++row) {
            if (list.rows[row].policy != watchdog::kUnwatched && blind.contains(Slot{row})) {
                now.emplace(to_string(list.inventory, list.inventory.rows[row].target),
                            "its counters are cleared or start again at most looks, so no storm can be proven");
            }
        }
    } else {
        blind_followed_ = {};
    }
    if (health_.list_unseen(std::move(now))) {
        snapshot_.reset();
    }
}

void DeviceRunner::judge(const Looked& looked)
{
    if (stopping_ || unfit_) {
        return;
    }
    if (!looked.read) {
        return health_.become(Condition::failing, looked.read.error().what);
    }
    health_.become(Condition::watching, "");
    if (!good_look_) {
        good_look_ = true;
        host_.settled(*this);
    }
}

void DeviceRunner::command(const watchdog::Command& wanted)
{
    auto& deadline = commands_[wanted.id];
    if (wanted.deadline != kNever) {
        plan(deadline, wanted.deadline, [this, wanted] {
            ++commands_failed_;
            step(Outcome{wanted.id, Verdict::timed_out, {}, wanted.deadline, "no answer in time"});
        });
    }
    calls_.carry_out(wanted, opened_->numbering, [this](const Outcome& outcome) {
        if (const auto under_way = commands_.find(outcome.command); under_way != commands_.end()) {
            cancel(under_way->second);
            commands_.erase(under_way);
        }
        ++commands_done_;
        commands_failed_ += outcome.verdict == Verdict::confirmed || outcome.verdict == Verdict::accepted ? 0U : 1U;
        step(outcome);
    });
}

// A timer in the loop finds a call that hangs.
void DeviceRunner::watch_worker()
{
    plan(worker_watch_, loop_.now().mono + std::max<Duration>(setup_.hang_after / 4, 1ms), [this] {
        if (hangs() && !stopped()) {
            health_.become(Condition::not_answering,
                           fmt::format("a call has been under way for more than {}", limit_text(setup_.hang_after)));
        }
        watch_worker();
    });
}

void DeviceRunner::cancel(Timer& timer)
{
    if (timer) {
        loop_.cancel(*timer);
        timer.reset();
    }
}

}  // namespace petrel::runner

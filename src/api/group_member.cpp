#include "api/group_member.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace petrel::api {
namespace {

using namespace std::chrono_literals;
using codec::LogEntry;

constexpr Duration kTryAgain = 1s;
constexpr Duration kReadEvery = 1s;  // other managers announce entries; an announcement may get lost
constexpr std::size_t kMostEntriesAtOnce = 256;
constexpr std::size_t kMostBytesAtOnce = std::size_t{4} << 20U;
// A node that has just become the leader of the log may not have applied its last entries yet.
constexpr Duration kMismatchIsReal = 15s;
// Entries that arrive later show that devices reported, but not when.
constexpr Duration kAtEnd = 10s;

const std::string kLeaderCell = "leader";
const std::string kIssuerCell = "ca";
constexpr auto kCopy = "start with a copy of another manager's file (POST /api/v1/backup)";

}  // namespace

GroupMember::GroupMember(runner::Loop& loop, Workers workers, manager::Manager& manager, GroupOptions options,
                         std::string me, Calls calls)
    : loop_(loop),
      manager_(manager),
      options_(std::move(options)),
      me_(std::move(me)),
      calls_(std::move(calls)),
      lease_(me_),
      workers_(std::move(workers))
{
    options_.bus->listen([this, weak = std::weak_ptr{alive_}](std::string_view message) {
        loop_.post([this, weak, text = std::string{message}] {
            if (!weak.expired()) {
                heard(text);
            }
        });
    });
    join();
    look_at_lease();
}

GroupMember::~GroupMember()
{
    alive_.reset();
    options_.bus->listen({});
    if (lease_.mine()) {
        if (const auto revision = lease_.bid(loop_.now().mono)) {  // the others need not wait until the lease is over
            static_cast<void>(options_.bus->replace(kLeaderCell, *revision, codec::leader_record({})));
        }
    }
}

// Runs the job in the worker, and what it returns in the loop.
void GroupMember::run(runner::Worker& worker, std::function<std::function<void()>()> job)
{
    const bool added = worker.add(runner::JobKind::other, [this, job = std::move(job), weak = std::weak_ptr{alive_}] {
        loop_.post([weak, then = job()] {
            if (!weak.expired()) {
                then();
            }
        });
    });
    if (!added) {  // cannot happen: each worker has one job at a time
        note("a worker has no room");
    }
}

void GroupMember::later(Duration delay, std::function<void()> act)
{
    loop_.at(loop_.now().mono + delay, [act = std::move(act), weak = std::weak_ptr{alive_}] {
        if (!weak.expired()) {
            act();
        }
    });
}

void GroupMember::note(std::string trouble)
{
    if (!trouble.empty() && trouble != trouble_) {
        calls_.log(trouble);
    }
    trouble_ = std::move(trouble);
}

// --- joining ---

void GroupMember::join()
{
    run(*workers_.log, [this] { return [this, ends = open()] { joined(ends); }; });
}

// In the worker.
Result<bus::LogEnds> GroupMember::open()
{
    auto ends = options_.bus->open();
    if (!ends || options_.issuer_digest.empty()) {
        return ends;
    }
    const auto issuer = options_.bus->cell(kIssuerCell);
    if (!issuer) {
        return tl::unexpected(issuer.error());
    }
    if (issuer->revision == 0) {
        const auto made = options_.bus->replace(kIssuerCell, 0, options_.issuer_digest);
        return made ? ends : tl::unexpected(made.error());
    }
    if (issuer->text != options_.issuer_digest) {
        return tl::unexpected(Error{ErrorKind::invalid,
                                    "the folder of --ca has another certificate than those of the other managers: copy "
                                    "ca.pem and ca-key.pem from one of them"});
    }
    return ends;
}

void GroupMember::joined(const Result<bus::LogEnds>& ends)
{
    auto why = ends ? misfit(*ends) : ends.error().what;
    if (!why.empty()) {
        note(std::move(why));
        return later(kTryAgain, [this] { join(); });
    }
    state_ = State::following;
    ++joins_;
    at_end_.reset();
    mismatch_since_.reset();
    last_known_ = ends->last;
    read();
}

// Why the store cannot follow this log; empty: it can, from at_ on.
std::string GroupMember::misfit(const bus::LogEnds& ends)
{
    const auto position = manager_.store().position();
    const auto empty = manager_.store().empty();
    if (!position || !empty) {
        return position ? empty.error().what : position.error().what;
    }
    const bool follows = *position && (*position)->log == ends.id;
    at_ = follows ? **position : manager::LogPosition{ends.id, 0};
    begins_with_file_ = !follows && !*empty;
    if (!follows && !*empty && ends.last != 0) {
        return fmt::format("the file of --store {}, and the log in NATS has {} entries: {}",
                           *position ? "belongs to another log" : "belongs to no log", ends.last, kCopy);
    }
    return mismatch(ends);
}

// What has happened to a log that fitted.
std::string GroupMember::mismatch(const bus::LogEnds& ends)
{
    if (ends.id != at_.log) {
        return "the log in NATS was made again";
    }
    if (ends.last < at_.entry) {
        return fmt::format("the log in NATS ends with entry {}, and the file of --store has {}: entries were lost",
                           ends.last, at_.entry);
    }
    if (ends.last > at_.entry && ends.first > at_.entry + 1) {
        return fmt::format("the file of --store ends with entry {}, and the log in NATS begins with {}: {}", at_.entry,
                           ends.first, kCopy);
    }
    return {};
}

void GroupMember::rejoin(std::string why)
{
    note(why);
    step_down({ErrorKind::corrupt, std::move(why)});
    state_ = State::joining;
    at_end_.reset();
    later(kTryAgain, [this] { join(); });
}

// --- following ---

void GroupMember::heard(std::string_view message)
{
    if (message.empty()) {
        return read();
    }
    const auto told = codec::read_log_entry(message);
    if (!told || state_ == State::joining || at_.entry == 0) {
        return;
    }
    manager::Batch samples;
    samples.now = told->batch.now;
    samples.samples = told->batch.samples;
    static_cast<void>(manager_.follow({&samples, 1}, at_, std::nullopt));  // telemetry may get lost
}

void GroupMember::read()
{
    if (state_ == State::joining || state_ == State::leading) {
        return;
    }
    if (std::exchange(reading_, true)) {
        read_again_ = true;
        return;
    }
    read_again_ = false;
    if (next_read_) {
        loop_.cancel(*std::exchange(next_read_, std::nullopt));
    }
    run(*workers_.log, [this, joins = joins_, number = at_.entry + 1] {
        return [this, joins, read = std::make_shared<Read>(read_from(number))] {
            reading_ = false;
            joins == joins_ ? have_read(std::move(*read)) : this->read();
        };
    });
}

void GroupMember::read_later()
{
    next_read_ = loop_.at(loop_.now().mono + kReadEvery, [this, weak = std::weak_ptr{alive_}] {
        if (!weak.expired()) {
            next_read_.reset();
            read();
        }
    });
}

// In the worker.
GroupMember::Read GroupMember::read_from(std::uint64_t number)
{
    Read read;
    for (std::size_t bytes = 0; bytes < kMostBytesAtOnce && read.entries.size() < kMostEntriesAtOnce; ++number) {
        const auto text = options_.bus->read(number);
        if (!text || !*text) {
            read.failed = text ? std::nullopt : std::optional{text.error()};
            break;
        }
        bytes += (*text)->size();
        auto entry = codec::read_log_entry(**text);
        if (!entry || entry->number != number) {
            const auto why = entry ? fmt::format("it has the number {}", entry->number) : entry.error().what;
            read.failed = Error{ErrorKind::corrupt, fmt::format("entry {} of the log: {}", number, why)};
            break;
        }
        read.entries.push_back(std::move(*entry));
    }
    if (read.entries.empty() && !read.failed) {
        if (const auto ends = options_.bus->open()) {
            read.ends = *ends;
        } else {
            read.failed = ends.error();
        }
    }
    return read;
}

void GroupMember::have_read(Read read)
{
    if (state_ == State::joining || state_ == State::leading || !apply(read.entries)) {
        return;
    }
    if (!read.entries.empty()) {
        last_known_ = std::max(last_known_, at_.entry);
        return this->read();
    }
    if (read.failed) {
        note(read.failed->what);
        return read_later();
    }
    last_known_ = read.ends->last;
    if (const auto why = mismatch(*read.ends); !why.empty()) {
        mismatch_since_ = mismatch_since_.value_or(loop_.now().mono);
        if (loop_.now().mono - *mismatch_since_ >= kMismatchIsReal) {
            return rejoin(why);
        }
        return read_later();
    }
    mismatch_since_.reset();
    if (read.ends->last != at_.entry || read_again_) {
        return this->read();
    }
    note({});
    at_end_ = loop_.now().mono;
    state_ == State::claiming ? claim() : read_later();
}

// False: it joins again.
bool GroupMember::apply(const std::vector<LogEntry>& entries)
{
    std::vector<manager::Batch> batches;
    for (const auto& entry : entries) {
        if (entry.number == 1 && (begins_with_file_ || entry.begins_with_file) && entry.by != me_) {
            rejoin(fmt::format("the log in NATS goes on where the file of another manager ended: {}", kCopy));
            return false;
        }
        batches.push_back(entry.batch);
    }
    if (batches.empty()) {
        return true;
    }
    const manager::LogPosition position{at_.log, entries.back().number};
    const auto now = loop_.now().mono;
    const bool in_time = at_end_ && now - *at_end_ < kAtEnd;
    const auto added = manager_.follow(batches, position, in_time ? std::optional{now} : std::nullopt);
    if (!added) {
        unfit_ = true;
        rejoin(added.error().what);
        return false;
    }
    unfit_ = false;
    at_ = position;
    calls_.applied(*added, batches);
    return true;
}

// --- who leads ---

void GroupMember::look_at_lease()
{
    run(*workers_.lease, [this] { return [this, cell = options_.bus->cell(kLeaderCell)] { lease_seen(cell); }; });
}

bool GroupMember::may_lead() const { return state_ != State::joining && at_end_ && !unfit_; }

void GroupMember::lease_seen(const Result<bus::Cell>& cell)
{
    const auto now = loop_.now().mono;
    if (!cell) {
        lease_.not_seen();
        return later(group::Lease::kLookEvery, [this] { look_at_lease(); });
    }
    const auto record = codec::read_leader_record(cell->text);
    lease_.seen(cell->revision, record.manager, now);
    leader_ = record.url;
    if (!lease_.mine() && (state_ == State::leading || state_ == State::claiming)) {
        step_down({ErrorKind::unreachable, fmt::format("the manager at {} leads", leader_)});
        read();
    }
    if (lease_.bid(now) && (may_lead() || lease_.mine())) {
        return bid();
    }
    later(group::Lease::kLookEvery, [this] { look_at_lease(); });
}

void GroupMember::bid()
{
    const auto now = loop_.now().mono;
    // A manager that may not lead any more gives the lease back.
    run(*workers_.lease, [this, now, lead = may_lead(), revision = *lease_.bid(now)] {
        const auto text = codec::leader_record(lead ? codec::LeaderRecord{me_, options_.url} : codec::LeaderRecord{});
        return [this, now, lead, replaced = options_.bus->replace(kLeaderCell, revision, text)] {
            if (replaced && lead) {
                lease_.replaced(*replaced, now);
                leader_ = options_.url;
                if (state_ == State::following) {
                    state_ = State::claiming;
                    read();
                }
            }
            later(group::Lease::kLookEvery, [this] { look_at_lease(); });
        };
    });
}

// The whole log is read.
void GroupMember::claim()
{
    batch_ = {};
    batch_.now = loop_.now().wall;
    batch_.audit.push_back(
        {batch_.now, options_.url, "manager_leads", options_.url, fmt::format("entry {}", at_.entry + 1)});
    begin_append({at_.entry + 1, me_, begins_with_file_ && at_.entry == 0, batch_});
}

// --- leading ---

void GroupMember::commit(std::function<void(const Result<Events>&)> done)
{
    auto batch = manager_.prepare();
    if (!batch || batch->empty()) {
        return done(batch.map([](const auto&) { return Events{}; }));
    }
    batch_ = std::move(*batch);
    done_ = std::move(done);
    codec::LogEntry entry{at_.entry + 1, me_, false, batch_};
    entry.batch.samples.clear();  // telemetry does not fill the log
    begin_append(entry);
}

void GroupMember::begin_append(const codec::LogEntry& entry)
{
    outbox_.clear();
    if (!entry.batch.empty()) {
        std::ranges::move(codec::log_entries(entry), std::back_inserter(outbox_));
    }
    appended_ = 0;
    ++attempts_;
    append_next();
}

void GroupMember::append_next()
{
    if (outbox_.empty()) {
        return all_appended();
    }
    const auto number = at_.entry + appended_ + 1;
    run(*workers_.log, [this, attempt = attempts_, number, text = std::move(outbox_.front())] {
        return [this, attempt, result = options_.bus->append(number, text)] {
            if (attempt == attempts_) {
                appended(result);
            }
        };
    });
    outbox_.pop_front();
}

void GroupMember::appended(const Result<bus::Append>& result)
{
    if (!result || *result == bus::Append::refused) {
        step_down(result ? Error{ErrorKind::unreachable, "another manager has appended to the log"} : result.error());
        return read();
    }
    ++appended_;
    calls_.reached("entry_appended");
    append_next();
}

void GroupMember::all_appended()
{
    const manager::LogPosition position{at_.log, at_.entry + appended_};
    const auto added = manager_.follow({&batch_, 1}, position, loop_.now().mono);
    if (!added) {
        unfit_ = true;
        return rejoin(added.error().what);
    }
    at_ = position;
    last_known_ = at_.entry;
    tell_others();
    if (state_ == State::leading) {
        manager_.commands().stored();
        return std::exchange(done_, {})(added);
    }
    if (const auto begun = manager_.lead(loop_.now().mono); !begun) {
        unfit_ = true;
        return rejoin(begun.error().what);
    }
    begins_with_file_ = false;
    state_ = State::leading;
    calls_.log(fmt::format("leads from entry {} on", at_.entry));
    calls_.leads();
}

// There are new entries. The samples among what was stored are not in the log.
void GroupMember::tell_others()
{
    if (appended_ != 0) {
        options_.bus->tell({});
    }
    if (!batch_.samples.empty()) {
        codec::LogEntry told{0, me_, false, {}};
        told.batch.now = batch_.now;
        told.batch.samples = std::move(batch_.samples);
        for (const auto& text : codec::log_entries(told)) {
            options_.bus->tell(text);
        }
    }
}

void GroupMember::step_down(const Error& why)
{
    const bool led = state_ == State::leading;
    ++attempts_;  // an append under way does not count
    if (led || state_ == State::claiming) {
        state_ = State::following;
    }
    if (const auto done = std::exchange(done_, {})) {
        done(tl::unexpected(why));
    }
    if (led) {
        calls_.log(fmt::format("leads no more: {}", why.what));
        calls_.leads_no_more(why);
    }
}

GroupMember::Status GroupMember::status(Instant now) const
{
    Status status{leads() && !lease_.over(now),
                  false,
                  leader_,
                  trouble_,
                  at_.entry,
                  last_known_ > at_.entry ? last_known_ - at_.entry : 0};
    const bool follows = state_ == State::following && at_end_ && !leader_.empty() && !lease_.over(now) &&
                         !lease_.mine() && trouble_.empty();
    status.good = status.leads || follows;
    if (!status.good && status.trouble.empty()) {
        status.trouble = state_ == State::joining ? "it has not read the log in NATS yet"
                         : leader_.empty() || lease_.over(now)
                             ? "no manager leads: a majority of the NATS nodes must run, and one manager"
                             : "it has not read the log to its end";
    }
    return status;
}

}  // namespace petrel::api

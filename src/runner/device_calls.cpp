#include "runner/device_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault_point.hpp"
#include "runner/start.hpp"

namespace petrel::runner {

namespace {

constexpr Duration kJournalCheckEvery = std::chrono::seconds{1};

bool overlap(const Target& a, const Target& b)
{
    return a.port == b.port && (!a.priority || !b.priority || a.priority == b.priority);
}

Error no_room() { return {ErrorKind::exhausted, fmt::format("{} calls of the device wait already", kMostJobs)}; }

}  // namespace

DeviceCalls::DeviceCalls(Loop& loop, std::unique_ptr<Worker> worker, DeviceSource& source, Memory& memory,
                         device::NoticeSink& notices, DeviceSource::NoteSink report, device::FaultHook fault_hook)
    : loop_(loop),
      source_(source),
      memory_(memory),
      clock_(source.clock()),
      notices_(notices),
      report_note_(std::move(report)),
      fault_hook_(std::move(fault_hook)),
      worker_(std::move(worker))
{}

DeviceCalls::~DeviceCalls() = default;

// Always posts the answer to the loop, also a refusal: the callback never runs inside the caller's request. False: the
// worker has refused the job.
template <class Work, class Answer>
bool DeviceCalls::call(JobKind kind, Work work, Answer refused, std::function<void(Answer)> then)
{
    struct Pending {
        std::function<void(Answer)> then;
        std::optional<Answer> answer;
    };
    const auto deliver = [this, alive = std::weak_ptr{alive_},
                          pending = std::make_shared<Pending>(Pending{std::move(then), std::nullopt})](Answer answer) {
        pending->answer = std::move(answer);
        const auto answered = [alive, pending] {
            if (alive.lock()) {
                pending->then(std::move(*pending->answer));
            }
        };
        if (PETREL_FAULT_POINT(8)) {
            return loop_.post([this, alive, answered] {  // behind what was posted meanwhile
                if (alive.lock()) {
                    loop_.post(answered);
                }
            });
        }
        loop_.post(answered);
    };
    const bool added = worker_->add(kind, [work = std::move(work), deliver] { deliver(work()); });
    if (!added) {
        deliver(std::move(refused));
    }
    if (looking_ && kind != JobKind::look) {
        waker_.wake();  // this call waits behind the look
    }
    if (kind != JobKind::command) {
        batch_.reset();  // later commands do not overtake this call
    }
    return added;
}

void DeviceCalls::open(std::function<void(Result<Opened>)> then)
{
    call(JobKind::open, [this] { return open_device(); }, Result<Opened>{tl::unexpected(no_room())}, std::move(then));
}

DeviceSource::NoteSink DeviceCalls::post_notes() const
{
    return [&loop = loop_, alive = std::weak_ptr{alive_}, report = &report_note_](const std::string& text) {
        loop.post([alive, report, text] {
            if (alive.lock()) {
                (*report)(text);
            }
        });
    };
}

Result<Opened> DeviceCalls::open_device()
{
    journal_.reset();
    worker_->when_readable(-1, {});
    device_.reset();
    auto device = source_.open(post_notes());
    if (!device) {
        return tl::unexpected(std::move(device.error()));
    }
    auto journal = memory_.open_journal((*device)->inventory());
    if (!journal) {
        return tl::unexpected(std::move(journal.error()));
    }
    device_ = std::move(*device);
    journal_ = std::move(*journal);
    known_ = device_->inventory();
    ++numbering_;
    device_->listen(notices_);
    device_->set_waker(waker_);
    await_notices();
    return Opened{known_,
                  numbering_,
                  device_->capabilities(),
                  journal_->tail_dropped(),
                  journal_->absent_entry_count(),
                  device_->buffers()};
}

// Posts the notices that wait, and again whenever more arrive.
void DeviceCalls::await_notices()
{
    worker_->when_readable(device_->receive_notices(), [this] { await_notices(); });
}

void DeviceCalls::gather(std::optional<watchdog::Checkpoint> remembered, std::function<void(Result<agent::Start>)> then)
{
    call(
        JobKind::gather,
        [this, remembered = std::move(remembered)] { return gather_start(*device_, *journal_, remembered); },
        Result<agent::Start>{tl::unexpected(no_room())}, std::move(then));
}

void DeviceCalls::look(Look look, std::function<void(Looked)> then)
{
    Looked refused{look.id, look.intake, tl::unexpected(no_room())};
    looking_ = true;
    auto answer = [this, then = std::move(then)](Looked looked) {
        looking_ = false;
        then(std::move(looked));
    };
    call(
        JobKind::look,
        [this, look = std::move(look)] {
            look.intake->begin();
            Looked looked{look.id, look.intake, device_->look(look.rows, *look.intake)};
            const bool renumbered = follow_inventory();
            if (known_.generation != look.generation) {
                looked.changed = known_;
            }
            looked.numbering = numbering_;
            if (renumbered) {
                looked.buffers = device_->buffers();
            }
            looked.took = busy_for();
            looked.journal = keep_journal();
            looked.unseen = other_unseen();
            looked.wants_reopening = device_->wants_reopening();
            return looked;
        },
        std::move(refused), std::function<void(Looked)>{std::move(answer)});
}

std::optional<Result<bool>> DeviceCalls::keep_journal()
{
    const auto now = clock_.now().mono;
    if (now - journal_checked_ < kJournalCheckEvery) {
        return std::nullopt;
    }
    journal_checked_ = now;
    return journal_->keep();
}

std::optional<std::vector<device::UnseenQueue>> DeviceCalls::other_unseen()
{
    auto now = device_->unseen_queues();
    if (now == unseen_) {
        return std::nullopt;
    }
    unseen_ = now;
    return now;
}

// True: a row or a port has another number now.
bool DeviceCalls::follow_inventory()
{
    const auto& shown = device_->inventory();
    if (shown.generation == known_.generation) {
        return false;
    }
    const auto same = [](const auto& a, const auto& b, auto of) { return std::ranges::equal(a, b, {}, of, of); };
    const bool renumbered = !same(shown.rows, known_.rows, &watchdog::RowInfo::target) ||
                            !same(shown.ports, known_.ports, &PortNames::name);
    if (renumbered) {
        journal_->renumber(known_, shown);
        ++numbering_;
    }
    known_ = shown;
    return renumbered;
}

// One job for each command. If the device acts later, the first job of a batch begins all commands that wait by then.
void DeviceCalls::carry_out(const watchdog::Command& command, std::uint32_t numbering,
                            std::function<void(watchdog::Outcome)> then)
{
    if (!batch_) {
        batch_ = std::make_shared<Batch>();
    }
    const auto requested = std::make_shared<Requested>(Requested{command, numbering, std::nullopt});
    const std::lock_guard lock{batch_->mutex};  // the worker begins no command whose job is refused
    const bool added = call(
        JobKind::command,
        [this, batch = batch_, requested] {
            if (!requested->begun) {
                begin_waiting(*batch);
            }
            return device::finish_command(*requested->begun, *device_, *journal_, clock_, fault_hook_);
        },
        ended(command, watchdog::Verdict::failed, no_room().what), std::move(then));
    if (added) {
        batch_->waiting.push_back(requested);
    }
}

// Jobs run in the order of their commands: the first command that waits is that of the job under way. A command that
// changes what another one of the batch changes is begun when that one is finished. So the effect and the journal entry
// of each command are its own.
void DeviceCalls::begin_waiting(Batch& batch)
{
    const bool all = device_->capabilities().acts_later;
    std::vector<std::shared_ptr<Requested>> waiting;
    {
        const std::lock_guard lock{batch.mutex};
        for (const auto& next : batch.waiting) {
            const bool same = std::ranges::any_of(
                waiting, [&](const auto& other) { return overlap(other->command.target, next->command.target); });
            if (same || (!all && !waiting.empty())) {
                break;
            }
            waiting.push_back(next);
        }
    }
    for (const auto& requested : waiting) {
        requested->begun = begin(requested->command, requested->numbering);
        const std::lock_guard lock{batch.mutex};
        batch.waiting.pop_front();
    }
}

device::Begun DeviceCalls::begin(const watchdog::Command& command, std::uint32_t numbering)
{
    const auto refuse = [&](watchdog::Verdict verdict, std::string why) {
        return device::Begun{command, {}, {}, {}, ended(command, verdict, std::move(why))};
    };
    // The agent has counted this command as timed out, and commands again if it still needs the treatment.
    if (worker_->busy_since() >= command.deadline) {
        return refuse(watchdog::Verdict::timed_out, "the device was busy until then");
    }
    return numbering == numbering_ ? device::begin_command(command, *device_, *journal_, clock_, fault_hook_)
                                   : refuse(watchdog::Verdict::failed, "the device has other ports now");
}

watchdog::Outcome DeviceCalls::ended(const watchdog::Command& command, watchdog::Verdict verdict, std::string why) const
{
    return {command.id, verdict, {}, clock_.now().mono, std::move(why)};
}

void DeviceCalls::set_watched_rows(std::vector<Slot> rows, std::uint32_t numbering)
{
    const auto work = [this, rows = std::move(rows), numbering] {
        if (device_ && numbering == numbering_) {
            device_->set_watched_rows(rows);
        }
        return Result<void>{};
    };
    call(JobKind::other, work, Result<void>{tl::unexpected(no_room())},
         std::function<void(Result<void>)>{[](const Result<void>&) {}});
}

void DeviceCalls::delegate_detection(std::vector<device::DelegatedRow> rows, std::uint32_t numbering,
                                     std::function<void(Result<std::vector<device::Delegated>>)> then)
{
    using Answer = Result<std::vector<device::Delegated>>;
    call(
        JobKind::other,
        [this, rows = std::move(rows), numbering]() -> Answer {
            if (numbering != numbering_) {  // the runner calls again after it has taken over the new inventory
                return tl::unexpected(Error{ErrorKind::invalid, "the device has other ports now"});
            }
            return device_->delegate_detection(rows);
        },
        Answer{tl::unexpected(no_room())}, std::move(then));
}

void DeviceCalls::read_links(std::function<void(Result<std::vector<link::LinkSample>>)> then)
{
    using Answer = Result<std::vector<link::LinkSample>>;
    call(JobKind::other, [this] { return device_->read_links(); }, Answer{tl::unexpected(no_room())}, std::move(then));
}

void DeviceCalls::set_dynamic_threshold(std::string profile, int exponent, std::function<void(ThresholdSet)> then)
{
    call(
        JobKind::other,
        [this, profile = std::move(profile), exponent] {
            auto done = device_->set_dynamic_threshold(profile, exponent);
            return ThresholdSet{std::move(done), device_->buffers()};
        },
        ThresholdSet{tl::unexpected(no_room())}, std::move(then));
}

void DeviceCalls::put_back(std::function<void(Result<void>)> then)
{
    call(
        JobKind::other, [this] { return source_.put_back(); }, Result<void>{tl::unexpected(no_room())},
        std::move(then));
}

void DeviceCalls::close(config::StopPolicy policy, std::function<void(Result<void>)> then)
{
    call(
        JobKind::other,
        [this, policy] {
            worker_->when_readable(-1, {});
            auto closed = device_ ? device_->close() : source_.put_back();
            if (policy == config::StopPolicy::restore) {
                device_.reset();
            }
            return closed;
        },
        Result<void>{tl::unexpected(no_room())}, std::move(then));
}

Duration DeviceCalls::busy_for() const
{
    const auto since = worker_->busy_since();
    return since ? clock_.now().mono - *since : Duration{};
}

}  // namespace petrel::runner

#include "daemon/device_thread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/start.hpp"

namespace petrel::daemon {

namespace {

// A look, a command for every site that may want one at once, and some more.
constexpr std::size_t kMostCalls = 1024;

constexpr Duration kJournalCheckEvery = std::chrono::seconds{1};

Error no_room() { return {ErrorKind::exhausted, fmt::format("{} calls of the device wait already", kMostCalls)}; }

}  // namespace

DeviceThread::DeviceThread(runtime::EventLoop& loop, Driver& driver, codec::DeviceEntry entry, DeviceId id,
                           std::filesystem::path journal, device::NoticeSink& notices, Driver::Say hear,
                           device::FaultHook fault_hook)
    : loop_(loop),
      driver_(driver),
      entry_(std::move(entry)),
      id_(id),
      journal_path_(std::move(journal)),
      notices_(notices),
      hear_(std::move(hear)),
      fault_hook_(std::move(fault_hook)),
      thread_(kMostCalls)
{}

DeviceThread::~DeviceThread() = default;

// The answer comes through the loop in any case, so that nobody is called back while he still asks.
template <class Work, class Answer>
void DeviceThread::ask(Work work, Answer refused, std::function<void(Answer)> then)
{
    const auto deliver = [this, alive = std::weak_ptr{alive_}, then = std::move(then)](Answer answer) {
        auto shared = std::make_shared<Answer>(std::move(answer));
        loop_.post([alive, then, shared] {
            if (alive.lock()) {
                then(std::move(*shared));
            }
        });
    };
    if (!thread_.add([work = std::move(work), deliver] { deliver(work()); })) {
        deliver(std::move(refused));
    }
}

void DeviceThread::open(std::function<void(Result<Opened>)> then)
{
    ask([this] { return open_device(); }, Result<Opened>{tl::unexpected(no_room())}, std::move(then));
}

Driver::Say DeviceThread::through_the_loop() const
{
    return [&loop = loop_, alive = std::weak_ptr{alive_}, hear = &hear_](const std::string& words) {
        loop.post([alive, hear, words] {
            if (alive.lock()) {
                (*hear)(words);
            }
        });
    };
}

Result<Opened> DeviceThread::open_device()
{
    journal_.reset();
    device_.reset();
    auto device = driver_.open(entry_, id_, clock_, through_the_loop());
    if (!device) {
        return tl::unexpected(std::move(device.error()));
    }
    auto journal = runtime::FileJournal::open_file(journal_path_, entry_.name, (*device)->inventory());
    if (!journal) {
        return tl::unexpected(std::move(journal.error()));
    }
    device_ = std::move(*device);
    journal_ = std::move(*journal);
    journal_lost_ = 0;
    known_ = device_->inventory();
    ++numbering_;
    device_->listen(notices_);
    return Opened{known_, numbering_, device_->capabilities(), journal_->tail_dropped(), journal_->strangers().size()};
}

void DeviceThread::gather(std::optional<watchdog::Checkpoint> remembered,
                          std::function<void(Result<agent::Start>)> then)
{
    ask([this, remembered = std::move(remembered)] { return runtime::gather_start(*device_, *journal_, remembered); },
        Result<agent::Start>{tl::unexpected(no_room())}, std::move(then));
}

void DeviceThread::look(Look look, std::function<void(Looked)> then)
{
    Looked refused{look.id, look.intake, tl::unexpected(no_room()), std::nullopt, 0, {}};
    ask(
        [this, look = std::move(look)] {
            const auto begin = clock_.now().mono;
            look.intake->begin();
            auto read = device_->look(look.rows, *look.intake);
            follow_inventory();
            return Looked{look.id,
                          look.intake,
                          std::move(read),
                          known_.generation == look.generation ? std::nullopt : std::optional{known_},
                          numbering_,
                          clock_.now().mono - begin,
                          keep_journal(),
                          other_unseen(),
                          device_->wants_reopening()};
        },
        std::move(refused), std::move(then));
}

std::optional<Result<bool>> DeviceThread::keep_journal()
{
    const auto now = clock_.now().mono;
    if (now - journal_checked_ < kJournalCheckEvery) {
        return std::nullopt;
    }
    journal_checked_ = now;
    return journal_->keep_name().map(
        [&] { return std::exchange(journal_lost_, journal_->times_lost()) != journal_->times_lost(); });
}

std::optional<std::vector<device::UnseenQueue>> DeviceThread::other_unseen()
{
    auto now = device_->unseen_queues();
    if (now == unseen_) {
        return std::nullopt;
    }
    unseen_ = now;
    return now;
}

void DeviceThread::follow_inventory()
{
    const auto& shown = device_->inventory();
    if (shown.generation == known_.generation) {
        return;
    }
    const auto same = [](const auto& a, const auto& b, auto of) { return std::ranges::equal(a, b, {}, of, of); };
    if (!same(shown.rows, known_.rows, &watchdog::RowInfo::target) ||
        !same(shown.ports, known_.ports, &PortNames::name)) {
        journal_->renumber(known_, shown);
        ++numbering_;
    }
    known_ = shown;
}

void DeviceThread::carry_out(const watchdog::Command& command, std::uint32_t numbering,
                             std::function<void(watchdog::Outcome)> then)
{
    const auto failed = [this, id = command.id](std::string why) {
        return watchdog::Outcome{id, watchdog::Verdict::failed, {}, clock_.now().mono, std::move(why)};
    };
    ask(
        [this, command, numbering, failed] {
            // Whoever wanted it has given it up and will ask again, if it is still wanted.
            if (clock_.now().mono >= command.deadline) {
                return watchdog::Outcome{
                    command.id, watchdog::Verdict::timed_out, {}, clock_.now().mono, "the device was busy until then"};
            }
            return numbering == numbering_ ? device::carry_out(command, *device_, *journal_, clock_, fault_hook_)
                                           : failed("the device has other ports now");
        },
        failed(no_room().what), std::move(then));
}

void DeviceThread::set_watched_rows(std::vector<Slot> rows, std::uint32_t numbering)
{
    const auto work = [this, rows = std::move(rows), numbering] {
        if (device_ && numbering == numbering_) {
            device_->set_watched_rows(rows);
        }
        return Result<void>{};
    };
    ask(work, Result<void>{tl::unexpected(no_room())}, std::function<void(Result<void>)>{[](const Result<void>&) {}});
}

void DeviceThread::watch_by_itself(std::vector<device::SelfWatch> wishes, std::uint32_t numbering,
                                   std::function<void(Result<std::vector<device::SelfWatched>>)> then)
{
    using Answer = Result<std::vector<device::SelfWatched>>;
    ask(
        [this, wishes = std::move(wishes), numbering]() -> Answer {
            if (numbering != numbering_) {  // whoever follows its inventory asks again
                return tl::unexpected(Error{ErrorKind::invalid, "the device has other ports now"});
            }
            return device_->watch_by_itself(wishes);
        },
        Answer{tl::unexpected(no_room())}, std::move(then));
}

void DeviceThread::put_back(std::function<void(Result<void>)> then)
{
    ask([this] { return put_back_unopened(); }, Result<void>{tl::unexpected(no_room())}, std::move(then));
}

Result<void> DeviceThread::put_back_unopened()
{
    return driver_.put_back(entry_).map([](Driver::PutBack) {});
}

void DeviceThread::close(codec::StopPolicy policy, std::function<void(Result<void>)> then)
{
    ask(
        [this, policy] {
            auto closed = device_ ? device_->close() : put_back_unopened();
            if (policy == codec::StopPolicy::restore) {
                device_.reset();
            }
            return closed;
        },
        Result<void>{tl::unexpected(no_room())}, std::move(then));
}

Duration DeviceThread::busy_for() const
{
    const auto since = thread_.busy_since();
    return since ? clock_.now().mono - *since : Duration{};
}

}  // namespace petrel::daemon

#include "runner/uplink_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "codec/uplink_json.hpp"
#include "words/words.hpp"

namespace petrel::runner {
namespace {

using namespace std::chrono_literals;
using Level = LogLevel;

// How long a stop waits for the last events to arrive.
constexpr Duration kStopPatience = 2s;
// Of snapshots in one request. With events and samples it stays below the 1 MiB that the manager accepts. A snapshot
// that is larger has a request of its own, with samples at most.
constexpr std::size_t kMostExtraBytes = std::size_t{256} * 1024;
constexpr std::size_t kLargestSnapshot = std::size_t{768} * 1024;
constexpr std::size_t kMostRequestBytes = std::size_t{1000} * 1000;

// A look may be under way at any time: then its counters are read a little later.
constexpr Duration kSampleRetry = 50ms;
constexpr Duration kSampleEvery = 1s;         // of each device
constexpr std::size_t kMostSamples = 32'768;  // in memory
constexpr std::size_t kMostSamplesAtOnce = 1500;

// Refusals of what was sent. A smaller request may be accepted.
bool is_about_content(int status) { return status == 400 || status == 413 || status == 422; }

}  // namespace

class UplinkRunner::RunnersSpool final : public uplink::Spool {
public:
    explicit RunnersSpool(const Runners& runners) : runners_(runners) {}

    std::vector<std::string> devices() const override
    {
        std::vector<std::string> names;
        std::ranges::transform(runners_, std::back_inserter(names), [](const auto& runner) { return runner->name(); });
        return names;
    }
    std::uint64_t last_seq(const std::string& device) const override { return memory(device).last_seq(); }
    std::optional<Event> at_or_after(const std::string& device, std::uint64_t seq) const override
    {
        const auto& events = memory(device).events();
        const auto found = std::ranges::lower_bound(events, seq, {}, &StoredEvent::seq);
        return found == events.end() ? std::nullopt : std::optional{Event{found->seq, found->json}};
    }

private:
    const Memory& memory(const std::string& device) const
    {
        return (*std::ranges::find(runners_, device, [](const auto& runner) { return runner->name(); }))->memory();
    }

    const Runners& runners_;
};

UplinkRunner::UplinkRunner(Loop& loop, const Runners& runners, Setup setup)
    : loop_(loop),
      runners_(runners),
      spool_(std::make_unique<RunnersSpool>(runners)),
      setup_(std::move(setup)),
      uplink_(setup_.memory->acknowledged(), *spool_, std::hash<std::string>{}(setup_.boot), setup_.pace),
      saved_(setup_.memory->acknowledged()),
      since_(loop.now().mono)
{}

UplinkRunner::~UplinkRunner()
{
    for (const auto* timer : {&wake_, &tick_, &sample_, &deadline_}) {
        if (*timer) {
            loop_.cancel(**timer);
        }
    }
    setup_.channel.reset();
    setup_.worker.reset();  // its jobs use the other members
}

void UplinkRunner::start()
{
    tick();
    sample();
}

void UplinkRunner::tick()
{
    tick_ = loop_.at(loop_.now().mono + setup_.pace.look, [this] { tick(); });
    save();
    spill();
    look();
}

// The state of the devices is rendered in the worker, because a switch may have thousands of queues.
void UplinkRunner::look()
{
    look_waits_ = rendering_ || uplink_.is_under_way();
    if (look_waits_) {
        return;
    }
    auto seen = std::make_shared<std::vector<DeviceSeen>>();
    for (const auto& runner : runners_) {
        seen->push_back(look_at(*runner, setup_.neighbours(runner->name())));
    }
    rendering_ = in_worker(
        [seen] {
            std::vector<std::pair<std::string, std::string>> lines;
            for (const auto& device : *seen) {
                lines.emplace_back(device.name, codec::snapshot_line(device_state(device)));
            }
            return lines;
        },
        [this](auto lines) { rendered(std::move(lines)); });
}

void UplinkRunner::sample()
{
    const auto now = loop_.now();
    sample_ = loop_.at(now.mono + kSampleRetry, [this] { sample(); });
    for (const auto& runner : runners_) {
        auto& telemetry = telemetry_[runner->name()];
        auto counted = now.mono >= telemetry.next ? samples_of(*runner, now) : std::nullopt;
        if (!counted) {
            continue;
        }
        telemetry.next = now.mono + kSampleEvery;
        std::ranges::move(telemetry.busy.choose(std::move(*counted)), std::back_inserter(samples_));
    }
    while (samples_.size() > kMostSamples) {
        samples_.pop_front();
        samples_in_request_ -= samples_in_request_ == 0 ? 0U : 1U;
    }
}

void UplinkRunner::rendered(std::vector<std::pair<std::string, std::string>> lines)
{
    rendering_ = false;
    for (auto& [device, line] : lines) {
        shown_[device].now = std::move(line);
    }
    send();
    look_if_waiting();
}

void UplinkRunner::look_if_waiting()
{
    if (look_waits_) {
        look();
    }
}

// While the manager is away, samples wait in the memory.
void UplinkRunner::spill()
{
    const auto first = samples_.begin() + static_cast<std::ptrdiff_t>(samples_in_request_);
    if (connected_.value_or(false) || spilling_ || first == samples_.end()) {
        return;
    }
    std::vector<std::string> lines;
    const std::vector<uplink::QueueSample> waiting{first, samples_.end()};
    for (std::span rest{waiting}; !rest.empty();) {
        const auto part = rest.first(std::min(rest.size(), kMostSamplesAtOnce));
        lines.push_back(codec::samples_line(part));
        rest = rest.subspan(part.size());
    }
    spilling_ = in_worker(
        [this, lines = std::move(lines)] {
            Result<bool> result = false;
            for (const auto& line : lines) {
                const auto appended = setup_.memory->append_samples(line);
                result = !result || !appended ? (result ? appended : result) : Result<bool>{*result || *appended};
            }
            setup_.reached("samples_spooled");
            return result;
        },
        [this](const Result<bool>& dropped) { spilled(dropped); });
    if (spilling_) {
        samples_.erase(samples_.begin() + static_cast<std::ptrdiff_t>(samples_in_request_), samples_.end());
    }
}

void UplinkRunner::spilled(const Result<bool>& dropped)
{
    spilling_ = false;
    const auto trouble = !dropped   ? dropped.error().what
                         : *dropped ? std::string{"their spool is full: the oldest half of it is dropped"}
                                    : std::string{};
    if (std::exchange(spool_trouble_, trouble) != trouble && !trouble.empty()) {
        log(Level::error, "samples_forgotten", fmt::format("samples for the manager are lost: {}", trouble));
    }
}

// Many events of one step are sent together.
void UplinkRunner::event_written()
{
    if (std::exchange(send_posted_, true)) {
        return;
    }
    loop_.post([this, alive = std::weak_ptr{alive_}] {
        if (!alive.expired()) {
            send_posted_ = false;
            send();
        }
    });
}

void UplinkRunner::send()
{
    if (shown_.empty()) {
        return;  // the first request names the devices
    }
    const bool extras = !samples_.empty() || setup_.memory->has_samples() ||
                        std::ranges::any_of(shown_, [](const auto& one) { return one.second.now != one.second.sent; });
    auto batch = uplink_.next(*spool_, extras, loop_.now().mono);
    report_gaps();
    if (batch) {
        post(*batch);
    }
    plan();
}

void UplinkRunner::plan()
{
    if (wake_) {
        loop_.cancel(*std::exchange(wake_, std::nullopt));
    }
    if (uplink_.wake() != kNever) {
        wake_ = loop_.at(uplink_.wake(), [this] {
            wake_.reset();
            send();
        });
    }
}

// The snapshots that the manager does not have, as far as there is room. If it may be another one, it has none.
std::string UplinkRunner::extras(const uplink::Batch& batch)
{
    std::string lines;
    in_request_.clear();
    for (auto& [device, shown] : shown_) {
        if (batch.names_devices) {
            shown.sent.clear();
        }
        const bool alone = lines.empty() && batch.events == 0;
        const auto room = alone ? kLargestSnapshot : kMostExtraBytes;
        if (batch.with_extras && shown.now != shown.sent && lines.size() + shown.now.size() < room) {
            lines += shown.now + '\n';
            in_request_[device] = shown.now;
        }
    }
    return lines;
}

std::string UplinkRunner::samples(const uplink::Batch& batch)
{
    samples_in_request_ = batch.with_extras ? std::min(samples_.size(), kMostSamplesAtOnce) : 0;
    const std::vector<uplink::QueueSample> sent{samples_.begin(),
                                                samples_.begin() + static_cast<std::ptrdiff_t>(samples_in_request_)};
    return sent.empty() ? std::string{} : codec::samples_line(sent) + '\n';
}

// Of each device of which the manager has all events.
std::string UplinkRunner::storms() const
{
    std::string lines;
    for (const auto& runner : runners_) {
        const auto last = uplink_.complete(*spool_, runner->name());
        if (auto open = last ? storms_of(*runner) : std::nullopt) {
            lines += codec::storms_line({runner->name(), *last, std::move(*open)}) + '\n';
        }
    }
    return lines;
}

void UplinkRunner::post(const uplink::Batch& batch)
{
    auto body = codec::report_head(setup_.agent, setup_.boot, setup_.version,
                                   batch.names_devices ? spool_->devices() : std::vector<std::string>{}, batch.manager,
                                   batch.recounts) +
                '\n';
    body += batch.lines;
    for (const auto& gap : batch.gaps) {
        body += codec::gap_line(gap) + '\n';
    }
    body += extras(batch);
    body += samples(batch);
    if (auto lines = storms(); body.size() + lines.size() < kMostRequestBytes) {
        body += lines;
    }
    setup_.reached("report_sent");
    if (!batch.with_extras || !setup_.memory->has_samples()) {
        return submit(std::move(body), std::nullopt);
    }
    const bool added = in_worker([this] { return setup_.memory->next_samples(); },
                                 [this, body](auto line) { submit(body, std::move(line)); });
    if (!added) {  // cannot happen while kMostJobs fits
        submit(std::move(body), std::nullopt);
    }
}

void UplinkRunner::submit(std::string body, std::optional<std::string> spooled)
{
    spooled_in_request_ = spooled && body.size() + spooled->size() < kMostRequestBytes;
    if (spooled_in_request_) {
        body += *spooled + '\n';
    }
    deadline_ = loop_.at(loop_.now().mono + setup_.pace.deadline, [this] {
        deadline_.reset();
        setup_.channel->cancel();
    });
    setup_.channel->send(std::move(body), [this](const ManagerAnswer& answer) { answered(answer); });
}

void UplinkRunner::answered(const ManagerAnswer& answer)
{
    if (deadline_) {
        loop_.cancel(*std::exchange(deadline_, std::nullopt));
    }
    const auto now = loop_.now().mono;
    const auto stored =
        answer.good() ? codec::read_stored(answer.body) : tl::unexpected(Error{ErrorKind::unreachable, answer.why});
    // A line that is refused would be refused again.
    if (std::exchange(spooled_in_request_, false) && (answer.good() || is_about_content(answer.status))) {
        static_cast<void>(setup_.worker->add(JobKind::other, [this] { setup_.memory->samples_sent(); }));
    }
    if (stored) {
        setup_.reached("report_stored");
        uplink_.stored(*stored, now);
        clear_links(codec::read_links_to_clear(answer.body));
        for (auto& [device, line] : in_request_) {
            shown_[device].sent = std::move(line);
        }
        samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(samples_in_request_));
        connected_now();
    } else {
        uplink_.failed(is_about_content(answer.status), answer.retry_after, now);
        samples_in_request_ = 0;
        const auto problem = codec::problem_text(answer.body);
        not_connected(answer.status == 0 || answer.good()
                          ? stored.error().what
                          : fmt::format("it answers with status {}{}", answer.status,
                                        problem.empty() ? "" : fmt::format(" ({})", problem)));
    }
    finish_stop();
    send();
    look_if_waiting();
}

// The manager repeats what an answer that got lost allowed. What is cleared already changes nothing.
void UplinkRunner::clear_links(const std::vector<uplink::LinkToClear>& links)
{
    for (const auto& link : links) {
        const auto runner = std::ranges::find(runners_, link.device, [](const auto& one) { return one->name(); });
        if (runner == runners_.end()) {
            continue;
        }
        if (const auto cleared = (*runner)->acknowledge_link(link.port, link.number);
            !cleared && cleared.error().kind != ErrorKind::invalid) {
            log(Level::error, "link_history_not_written", cleared.error().what);
        }
    }
}

void UplinkRunner::connected_now()
{
    if (!std::exchange(connected_, true).value_or(false)) {
        since_ = loop_.now().mono;
        why_.clear();
        log(Level::notice, "manager_connected",
            fmt::format("{} answers; {} to send", setup_.manager, count_text(uplink_.waiting(*spool_), "event")));
    }
}

void UplinkRunner::not_connected(std::string why)
{
    const bool was = std::exchange(connected_, false).value_or(true);
    if (was) {
        since_ = loop_.now().mono;
    }
    if (was || why != why_) {
        log(Level::error, "manager_lost",
            fmt::format("{}: {}; the agent watches on, tries again and sends what waits", setup_.manager, why));
    }
    why_ = std::move(why);
}

void UplinkRunner::report_gaps()
{
    for (const auto& gap : uplink_.take_gaps()) {
        forgotten_ += gap.last - gap.first + 1;
        forgotten_last_ = fmt::format("{}, numbers {} to {}", gap.device, gap.first, gap.last);
        setup_.log({Level::error,
                    "manager_gap",
                    gap.device,
                    {},
                    fmt::format("events {} to {} were forgotten before the manager had them: history_events = {} was "
                                "too few",
                                gap.first, gap.last, setup_.history_events),
                    {}});
    }
}

void UplinkRunner::save()
{
    if (saving_ || saved_ == uplink_.acknowledged()) {
        return;
    }
    const auto acknowledged = uplink_.acknowledged();
    saving_ = in_worker(
        [this, acknowledged] {
            setup_.reached("acknowledged_saves");
            return setup_.memory->save(acknowledged);
        },
        [this, acknowledged](const Result<void>& written) {
            saving_ = false;
            if (written) {
                saved_ = acknowledged;
                save_trouble_.clear();
            } else if (std::exchange(save_trouble_, written.error().what) != written.error().what) {
                log(Level::error, "acknowledged_not_written",
                    fmt::format("{}; after a restart the manager receives some events again", save_trouble_));
            }
        });
}

void UplinkRunner::stop(std::function<void()> done)
{
    stopping_ = std::move(done);
    loop_.at(loop_.now().mono + kStopPatience, [this, alive = std::weak_ptr{alive_}] {
        if (!alive.expired() && stopping_) {
            std::exchange(stopping_, {})();
        }
    });
    send();
    finish_stop();
}

void UplinkRunner::finish_stop()
{
    if (stopping_ && !(connected_.value_or(false) && uplink_.waiting(*spool_) != 0)) {
        std::exchange(stopping_, {})();
    }
}

control::ManagerReport UplinkRunner::report() const
{
    return {setup_.manager, connected_.value_or(false), whole_ms(loop_.now().mono - since_),
            why_,           uplink_.waiting(*spool_),   forgotten_,
            forgotten_last_};
}

void UplinkRunner::log(Level level, std::string event, std::string message) const
{
    setup_.log({level, std::move(event), {}, {}, std::move(message), {}});
}

}  // namespace petrel::runner

#include "daemon/uplink_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "codec/uplink_json.hpp"
#include "config/manager_url.hpp"
#include "daemon/manager_endpoints.hpp"
#include "daemon/manager_token.hpp"
#include "daemon/uplink_snapshot.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/random_digits.hpp"
#include "words/words.hpp"

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;
using Level = runner::LogLevel;

constexpr auto kFile = "manager.acknowledged";
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 24U;

// How often the devices are looked at for the manager, and the acknowledgements are stored.
constexpr Duration kTickEvery = 1s;
// How often the agent checks whether its certificate has to be renewed.
constexpr Duration kRenewEvery = 1h;
// A request that takes longer is cancelled.
constexpr Duration kDeadline = 10s;
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

constexpr int kGood = 200;

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
        const auto found = std::ranges::lower_bound(events, seq, {}, &runner::StoredEvent::seq);
        return found == events.end() ? std::nullopt : std::optional{Event{found->seq, found->json}};
    }

private:
    const runner::Memory& memory(const std::string& device) const
    {
        return (*std::ranges::find(runners_, device, [](const auto& runner) { return runner->name(); }))->memory();
    }

    const Runners& runners_;
};

Result<std::unique_ptr<UplinkRunner>> UplinkRunner::make(runner::Loop& loop, std::unique_ptr<runner::Worker> worker,
                                                         const ManagerAccess& access, const config::AgentConfig& config,
                                                         std::string version, const Runners& runners, Policies policies,
                                                         LogCall log, Reached reached)
{
    const auto endpoints =
        manager_endpoints(config.manager_url, config.manager_ca_file, config.manager_certificate_file);
    if (!endpoints) {
        return tl::unexpected(endpoints.error());
    }
    auto file = runtime::HeldFile::take(config.state_dir / kFile);
    if (!file) {
        return tl::unexpected(file.error());
    }
    uplink::Acknowledged before;
    const auto text = file->folder().read(file->name(), kLargestFile);
    const auto kept = text.and_then([&](const auto& found) {
        return codec::read_acknowledged(found.value_or(codec::acknowledged_json({}, {})), config.manager_url);
    });
    if (kept) {
        before = *kept;
    } else {
        // Nothing is lost: what the manager has already, it receives again.
        log({Level::error,
             "acknowledged_damaged",
             {},
             {},
             fmt::format("{}: {}; all events are sent again", file->path().string(), kept.error().what),
             {}});
    }
    Setup setup{
        config,           std::move(version),  runtime::random_digits(), access.clients(*endpoints), access.renew,
        std::move(*file), std::move(policies), std::move(log),           std::move(reached)};
    return std::unique_ptr<UplinkRunner>{
        new UplinkRunner{loop, std::move(worker), runners, std::move(setup), std::move(before)}};
}

UplinkRunner::UplinkRunner(runner::Loop& loop, std::unique_ptr<runner::Worker> worker, const Runners& runners,
                           Setup setup, uplink::Acknowledged before)
    : loop_(loop),
      setup_(std::move(setup)),
      spool_(std::make_unique<RunnersSpool>(runners)),
      runners_(runners),
      uplink_(before, *spool_, std::hash<std::string>{}(setup_.boot)),
      spooled_(setup_.file.folder()),
      saved_(std::move(before)),
      since_(loop.now().mono),
      worker_(std::move(worker))
{}

UplinkRunner::~UplinkRunner()
{
    for (const auto* timer : {&wake_, &tick_, &sample_, &deadline_, &renew_}) {
        if (*timer) {
            loop_.cancel(**timer);
        }
    }
    setup_.client->cancel();
}

void UplinkRunner::start()
{
    renew();
    tick();
    sample();
}

void UplinkRunner::renew()
{
    if (!setup_.renew || setup_.config.manager_certificate_file.empty()) {
        return;
    }
    renew_ = loop_.at(loop_.now().mono + kRenewEvery, [this] { renew(); });
    renewing_ = renewing_ ||
                worker_->add(runner::JobKind::other, [this, now = loop_.now().wall, alive = std::weak_ptr{alive_}] {
                    auto result =
                        setup_.renew(*setup_.client, setup_.config.manager_certificate_file, setup_.config.name, now);
                    loop_.post([this, alive, result = std::move(result)] {
                        if (!alive.expired()) {
                            renewed(result);
                        }
                    });
                });
}

void UplinkRunner::renewed(const Result<bool>& result)
{
    renewing_ = false;
    if (!result) {
        log(Level::error, "certificate_not_renewed", result.error().what + "; the agent tries again in an hour");
    } else if (*result) {
        log(Level::notice, "certificate_renewed",
            fmt::format("{} has a new certificate", setup_.config.manager_certificate_file.string()));
    }
}

void UplinkRunner::tick()
{
    tick_ = loop_.at(loop_.now().mono + kTickEvery, [this] { tick(); });
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
        seen->push_back(look_at(*runner, neighbours_of(setup_.policies(), runner->name())));
    }
    rendering_ = worker_->add(runner::JobKind::other, [this, seen, alive = std::weak_ptr{alive_}] {
        std::vector<std::pair<std::string, std::string>> lines;
        for (const auto& device : *seen) {
            lines.emplace_back(device.name, codec::snapshot_line(device_state(device)));
        }
        loop_.post([this, alive, lines = std::move(lines)] {
            if (!alive.expired()) {
                rendered(lines);
            }
        });
    });
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

// While the manager is away, samples wait on disk.
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
    spilling_ = worker_->add(runner::JobKind::other, [this, lines = std::move(lines), alive = std::weak_ptr{alive_}] {
        Result<bool> result = false;
        for (const auto& line : lines) {
            const auto appended = spooled_.append(line);
            result = !result || !appended ? (result ? appended : result) : Result<bool>{*result || *appended};
        }
        setup_.reached("samples_spooled");
        loop_.post([this, alive, result = std::move(result)] {
            if (!alive.expired()) {
                spilled(result);
            }
        });
    });
    if (spilling_) {
        samples_.erase(samples_.begin() + static_cast<std::ptrdiff_t>(samples_in_request_), samples_.end());
    }
}

void UplinkRunner::spilled(const Result<bool>& dropped)
{
    spilling_ = false;
    const auto trouble = !dropped   ? dropped.error().what
                         : *dropped ? fmt::format("the spool of {} bytes is full: the oldest half of it is dropped",
                                                  SampleSpool::kMostBytes)
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
    const bool extras = !samples_.empty() || !spooled_.empty() ||
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

void UplinkRunner::post(const uplink::Batch& batch)
{
    auto body =
        codec::report_head(setup_.config.name, setup_.boot, setup_.version,
                           batch.names_devices ? spool_->devices() : std::vector<std::string>{}, batch.manager) +
        '\n';
    body += batch.lines;
    for (const auto& gap : batch.gaps) {
        body += codec::gap_line(gap) + '\n';
    }
    body += extras(batch);
    body += samples(batch);
    setup_.reached("report_sent");
    const bool added = worker_->add(runner::JobKind::other, [this, body = std::move(body), spooled = batch.with_extras,
                                                             alive = std::weak_ptr{alive_}]() mutable {
        auto answer = exchange(std::move(body), spooled);
        loop_.post([this, alive, answer = std::move(answer)] {
            if (!alive.expired()) {
                answered(answer);
            }
        });
    });
    if (!added) {  // cannot happen while kMostJobs fits
        return answered({0, {}, "the worker has no room", {}});
    }
    deadline_ = loop_.at(loop_.now().mono + kDeadline, [this] {
        deadline_.reset();
        setup_.client->cancel();
    });
}

// In the worker.
UplinkRunner::Answer UplinkRunner::exchange(std::string body, bool with_spooled)
{
    const auto line = with_spooled ? spooled_.next() : std::nullopt;
    const bool adds_line = line && body.size() + line->size() < kMostRequestBytes;
    if (adds_line) {
        body += *line + '\n';
    }
    const auto& config = setup_.config;
    auto token = manager_token(config.manager_token_file);
    if (!token) {
        return {0, {}, token.error().what, {}};
    }
    auto response =
        setup_.client->send({.path = fmt::format("/api/v1/agents/{}/reports", config::percent_escaped(config.name)),
                             .body = std::move(body),
                             .content_type = "application/x-ndjson",
                             .token = std::move(*token),
                             .within = kDeadline});
    // A line that is refused would be refused again.
    if (adds_line && response && (response->status == kGood || is_about_content(response->status))) {
        spooled_.sent();
    }
    return response ? Answer{response->status, std::move(response->body), {}, response->retry_after}
                    : Answer{0, {}, response.error().what, {}};
}

void UplinkRunner::answered(const Answer& answer)
{
    if (deadline_) {
        loop_.cancel(*std::exchange(deadline_, std::nullopt));
    }
    const auto now = loop_.now().mono;
    const auto stored = answer.status == kGood ? codec::read_stored(answer.body)
                                               : tl::unexpected(Error{ErrorKind::unreachable, answer.why});
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
        not_connected(answer.status == 0 || answer.status == kGood
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
            fmt::format("{} answers; {} to send", setup_.config.manager_url,
                        count_text(uplink_.waiting(*spool_), "event")));
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
            fmt::format("{}: {}; the agent watches on, tries again and sends what waits", setup_.config.manager_url,
                        why));
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
                                gap.first, gap.last, setup_.config.history_events),
                    {}});
    }
}

void UplinkRunner::save()
{
    if (saving_ || saved_ == uplink_.acknowledged()) {
        return;
    }
    saving_ = worker_->add(runner::JobKind::other, [this, acknowledged = uplink_.acknowledged(),
                                                    alive = std::weak_ptr{alive_}] {
        setup_.reached("acknowledged_saves");
        const auto text = codec::acknowledged_json(setup_.config.manager_url, acknowledged);
        const auto& folder = setup_.file.folder();
        const auto written = folder.replace(setup_.file.name(), std::as_bytes(std::span{text}), runtime::kOwnersFile)
                                 .and_then([&](const auto&) { return folder.sync(); });
        loop_.post([this, alive, acknowledged, written] {
            if (alive.expired()) {
                return;
            }
            saving_ = false;
            if (written) {
                saved_ = acknowledged;
                save_trouble_.clear();
            } else if (std::exchange(save_trouble_, written.error().what) != written.error().what) {
                log(Level::error, "acknowledged_not_written",
                    fmt::format("{}; after a restart the manager receives some events again", save_trouble_));
            }
        });
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
    return {setup_.config.manager_url,
            connected_.value_or(false),
            whole_ms(loop_.now().mono - since_),
            why_,
            uplink_.waiting(*spool_),
            forgotten_,
            forgotten_last_};
}

void UplinkRunner::log(Level level, std::string event, std::string message) const
{
    setup_.log({level, std::move(event), {}, {}, std::move(message), {}});
}

}  // namespace petrel::daemon

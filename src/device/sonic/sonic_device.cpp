#include "device/sonic/sonic_device.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "device/sonic/canaries.hpp"

namespace petrel::device::sonic {

namespace {

using watchdog::bit;
using watchdog::Field;
using watchdog::Fields;
using watchdog::has;
using watchdog::Sample;
using watchdog::Treatment;

constexpr Duration kBlind = std::chrono::seconds{1};  // after this time without a poll, canaries are chosen again
constexpr std::chrono::milliseconds kLookAgain{2};
constexpr Duration kSettled = std::chrono::seconds{1};
constexpr int kPollsMissed = 5;  // this many missed polls are an error, if they take longer than kBlind

// In a poll, syncd reads all counters, then writes them. Stamp and write follow the read of a queue by some
// milliseconds, which vary. Without stamps and without reports of writes, only the two looks around a poll are known.
constexpr Duration kStampUncertainty = std::chrono::milliseconds{10};
constexpr int kLooksPerPoll = 4;

constexpr Fields kPauseCounters = bit(Field::paused_now) | bit(Field::pause_us) | bit(Field::rx_pfc);
// Stands for the fields of a switch while none of its queues has counters.
constexpr Fields kEveryField =
    kPauseCounters | bit(Field::on2off) | bit(Field::tx_packets) | bit(Field::occupancy) | bit(Field::tx_drops);

}  // namespace

SonicDevice::SonicDevice(const db::Databases& databases, DeviceId id, const TimeSource& clock, Note note,
                         const Settings& settings)
    : databases_(databases),
      id_(id),
      clock_(clock),
      note_(std::move(note)),
      settings_(settings),
      store_(databases, settings.redis),
      decider_(store_, databases_, clock, [this](const std::string& text) { note_once(text); }),
      changes_(databases, settings.redis),
      stamp_(databases, settings.redis, settings.wake > Duration::zero() ? settings.wait : Wait{})
{}

Result<std::unique_ptr<SonicDevice>> SonicDevice::open(const db::Databases& databases, DeviceId id,
                                                       const TimeSource& clock, Note note, const Settings& settings)
{
    std::unique_ptr<SonicDevice> device{new SonicDevice{databases, id, clock, std::move(note), settings}};
    return device->decider_.start().and_then([&] { return device->start(); }).map([&] { return std::move(device); });
}

SonicDevice::~SonicDevice()
{
    if (decider_.owns_switch() && !closed_) {  // also if open() failed
        if (const auto back = close(); !back) {
            note_once(back.error().what);
        }
    }
}

Result<void> SonicDevice::close()
{
    closed_ = true;
    return decider_.close();
}

namespace {

constexpr auto kNoCounters = "no queue has counters of PFC yet: orchagent watches none, or syncd has not read them";
constexpr auto kNoEntries =
    "PFC_WD has no port, so orchagent watches no queue: add ports with `pfcwd start --action drop all 400 "
    "--restoration-time 400`, or name some instead of `all`";

Error without_counters(bool configured) { return {ErrorKind::unreachable, configured ? kNoCounters : kNoEntries}; }

// Whether a port is configured in PFC_WD.
Result<bool> has_entries(petrel::sonic::Store& store)
{
    return store.keys(petrel::sonic::Db::config, "PFC_WD|").map([](const std::vector<std::string>& keys) {
        return std::ranges::any_of(keys, [](const std::string& key) { return key != "PFC_WD|GLOBAL"; });
    });
}

}  // namespace

// The fields of all queues that orchagent has registered.
Fields SonicDevice::counted() const
{
    Fields fields = 0;
    for (std::uint32_t row = 0; row != rows_.size(); ++row) {
        const auto& reading = (*reader_)[Slot{row}];
        fields |= reading.registered ? reading.sample.known : 0;
    }
    return (fields & kPauseCounters) != 0 ? fields : 0;
}

Result<void> SonicDevice::start()
{
    auto layout = read_layout(store_);
    if (!layout) {
        return tl::unexpected(std::move(layout.error()));
    }
    const bool all_named = !layout->layout.queues.empty() && !layout->facts.filling;
    adopt(std::move(*layout));
    if (auto marked = lossless_ports_.read(store_); !marked) {
        return marked;
    }
    if (auto read = reader_->read(store_, clock_.now().mono); !read) {
        return read;
    }
    auto fields = counted();
    if (fields == 0) {
        const auto configured = has_entries(store_);
        if (!configured || *configured || !all_named) {
            return tl::unexpected(configured ? without_counters(*configured) : configured.error());
        }
        links_only_ = true;
        fields = kEveryField;
    }
    if (!prove_pause(fields, fields)) {
        return tl::unexpected(Error{
            ErrorKind::unsupported,
            "this switch counts neither RX_PAUSE_DURATION_US nor the pause state of queues (RX_PAUSE_DURATION is in "
            "units of its vendor): no pause can be proven, so SONiC's own scripts stay in place and this agent does "
            "not watch"});
    }
    if (HeldPause::fits(fields)) {
        fields |= bit(Field::pause_state);
        note_once(
            "the switch reports neither pause time nor the ends of pauses: a queue that is paused at two polls in a "
            "row and sends nothing in between counts as paused");
    }
    if (!links_only_) {
        reader_->read_only(fields);
    }
    capabilities_.fields = fields;
    capabilities_.survive = fields;  // SurvivingSignals finds those that a mitigation stops
    capabilities_.treatments = bit(Treatment::drop) | bit(Treatment::ignore_pause) | bit(Treatment::lossless_off);
    capabilities_.port_wide = bit(Treatment::lossless_off);
    capabilities_.reads_back = true;
    capabilities_.acts_later = true;
    capabilities_.reads_links = true;
    capabilities_.look_waits = settings_.wake;
    const auto group = read_group(store_);
    const auto precise = stamp_.is_precise(store_);
    if (!group || !precise) {
        return tl::unexpected(!group ? group.error() : precise.error());
    }
    group_ = *group;
    capabilities_.stamp_uncertainty = *precise ? kStampUncertainty : group_.interval / kLooksPerPoll;
    return {};
}

// A queue that existed before keeps its state.
void SonicDevice::adopt(FoundLayout found)
{
    auto& layout = found.layout;
    std::map<std::string, std::pair<Row, Intent>> before;
    for (std::uint32_t row = 0; row != rows_.size(); ++row) {
        before.emplace(reader_->layout().queues[row].oid, std::pair{rows_[row], decider_.intents()[row]});
    }
    const auto generation = inventory_.generation + 1;
    inventory_ = {};
    inventory_.generation = generation;
    rows_.clear();
    std::vector<Intent> intents;
    std::vector<std::string> names;
    for (const auto& port : layout.ports) {
        inventory_.ports.push_back({port.name, "", std::nullopt});
        names.push_back(port.name);
    }
    changes_.set_ports(std::move(names));
    for (const auto& queue : layout.queues) {
        inventory_.rows.push_back({{{id_, queue.port}, queue.priority}, layout.ports[queue.port].speed, false});
        const auto known = before.find(queue.oid);
        rows_.push_back(known != before.end() ? known->second.first : Row{});
        intents.push_back(known != before.end() ? known->second.second : Intent{});
    }
    links_.emplace(layout);
    decider_.adopt(std::move(intents), std::move(found.facts));
    status_check_ = StatusCheck{rows_.size()};
    histories_ = {};
    reader_.emplace(std::move(layout), [this](const std::string& text) { note_once(text); });
    if (capabilities_.fields != 0 && !links_only_) {
        reader_->read_only(capabilities_.fields);
    }
    all_read_.reset();
    unread_ = true;
    choose_again_ = Instant::min();
}

// Follows changes in the databases. True: the rows are the same as before.
Result<bool> SonicDevice::follow()
{
    const auto changed = changes_.listen(clock_.now().mono);
    if (!changed) {
        return tl::unexpected(changed.error());
    }
    if (changed->plugins) {
        const auto group = read_group(store_);
        if (!group) {
            return tl::unexpected(group.error());
        }
        group_ = *group;  // the interval may have changed
        watch_canaries();
    }
    if (auto stays = decider_.stay(changed->plugins); !stays) {
        return tl::unexpected(std::move(stays.error()));
    }
    if (changed->layout || filling_) {
        if (auto same = follow_layout(); !same || !*same) {
            return same;
        }
    }
    if (changed->links) {
        return links_->read(store_, reader_->layout()).map([] { return true; });
    }
    return true;
}

Result<bool> SonicDevice::follow_layout()
{
    auto found = read_layout(store_);
    if (!found) {
        return tl::unexpected(std::move(found.error()));
    }
    const auto& before = reader_->layout();
    // If all names are gone at once, COUNTERS_DB is being filled again.
    if (found->layout.queues.empty() && !rows_.empty()) {
        return tl::unexpected(
            Error{ErrorKind::unreachable,
                  "COUNTERS_DB has no names of queues (COUNTERS_QUEUE_NAME_MAP): orchagent has not filled it yet"});
    }
    if (found->layout == before) {
        filling_.reset();
        decider_.take_facts(std::move(found->facts));
        return true;
    }
    if (is_settled(*found)) {
        filling_.reset();
        adopt(std::move(*found));
        changes_.start_over();  // the links of new ports are not known
        return false;
    }
    std::set<std::string_view> named;
    for (const auto& queue : found->layout.queues) {
        named.insert(queue.oid);
    }
    if (!std::ranges::all_of(before.queues, [&](const QueuePlace& queue) { return named.contains(queue.oid); })) {
        return tl::unexpected(Error{ErrorKind::unreachable,
                                    "orchagent fills COUNTERS_QUEUE_NAME_MAP again: queues that were watched are not "
                                    "in it yet"});
    }
    return true;
}

// orchagent names queues port by port. An incomplete list is adopted when it has not changed for kSettled, so that a
// restart is one change and not one for each port.
bool SonicDevice::is_settled(const FoundLayout& found)
{
    const auto now = clock_.now().mono;
    if (!found.facts.filling) {
        return true;
    }
    if (!filling_ || filling_->layout != found.layout) {
        filling_ = found;
        filling_since_ = now;
    }
    return now - filling_since_ >= kSettled;
}

Result<void> SonicDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    for (const auto row : rows) {
        if (row.value >= rows_.size()) {
            return tl::unexpected(
                Error{ErrorKind::invalid, fmt::format("no row {}, there are {}", row.value, rows_.size())});
        }
    }
    // A look reads all rows of a poll, whichever are requested: a storm on another row need not wait for the next look.
    auto read =
        pass_over_hand_back()
            .and_then([&] { return choose_canaries(); })
            .map([&] { return wait_for_write(); })
            .and_then([&](bool any) { return follow().map([&](bool same) { return same && any && !group_.off; }); })
            .and_then([&](bool any) { return any ? read_one_poll() : Result<std::optional<Instant>>{std::nullopt}; })
            .and_then([&](std::optional<Instant> poll) { return poll ? put(*poll, into) : Result<void>{}; })
            .map_error([&](Error error) {
                start_over();
                return error;
            });
    if (links_only_) {
        return read.and_then([&] { return await_counters(); });
    }
    if (read && decider_.restart_wait()) {
        polled_ = clock_.now().mono;
    }
    auto seen = read.and_then([&] { return sees_polls(); });
    const auto settled =
        decider_.settle([&] { return scripts_decided(); }).and_then([&] { return pass_over_hand_back(); });
    return !settled && seen ? settled : decider_.with_gap(std::move(seen));
}

Result<void> SonicDevice::await_counters()
{
    counters_came_ = counted() != 0;
    if (counters_came_) {
        return {};
    }
    return has_entries(store_).and_then(
        [](bool configured) -> Result<void> { return tl::unexpected(without_counters(configured)); });
}

// Before the scripts return, the values that they keep are deleted from all queues. These writes are no poll.
Result<void> SonicDevice::pass_over_hand_back()
{
    if (std::exchange(agent_decided_, decider_.agent_decides()) && !agent_decided_) {
        stamp_.start_over();
        return stamp_.arm();
    }
    return {};
}

Duration SonicDevice::patience() const { return std::max(kBlind, kPollsMissed * group_.interval); }

// Whether orchagent shows a storm that the agent has not requested, or shows none where the agent has requested one.
bool SonicDevice::scripts_decided() const
{
    for (std::uint32_t row = 0; row != rows_.size(); ++row) {
        const auto& reading = (*reader_)[Slot{row}];
        const bool shown = is_watched(reading) && !reading.alert;
        if (shown && rows_[row].requested && *rows_[row].requested != (reading.status == Status::stormed)) {
            return true;
        }
    }
    return false;
}

// Fails if syncd does not poll: such a switch looks like one without storms.
Result<void> SonicDevice::sees_polls() const
{
    if (!queues_watched_ || clock_.now().mono - polled_ <= patience()) {
        return {};
    }
    return tl::unexpected(Error{
        ErrorKind::unreachable,
        group_.off ? "syncd is configured not to poll the watchdog's counters (FLEX_COUNTER_TABLE|PFCWD is disabled): "
                     "no storm can be seen; `pfcwd counter_poll enable` turns polling on"
                   : "syncd does not poll the watchdog's counters, or polls them faster than they can be read: no "
                     "storm can be seen"});
}

// If one connection broke, the others may have, too. All changes count as unread, because those received may not have
// been followed.
void SonicDevice::start_over()
{
    unread_ = true;
    store_ = db::RedisStore{databases_, settings_.redis};
    stamp_.start_over();
    changes_.start_over();
}

// Reads all counters of one poll of syncd. None: there is no new poll, or syncd wrote while they were read.
Result<std::optional<Instant>> SonicDevice::read_one_poll()
{
    auto before = wait_for_poll();
    unread_ = !before || before->under_way || !before->at || before->at != all_read_;
    for (int attempt = 0; attempt != 2; ++attempt) {
        if (!before || !before->at || before->at == all_read_) {
            break;
        }
        if (auto read = reader_->read(store_, clock_.now().mono); !read) {
            return tl::unexpected(std::move(read.error()));
        }
        auto after = wait_for_poll();
        if (after && *after == *before) {
            polled_ = clock_.now().mono;
            choose_again_ = polled_ + std::max(kBlind, 2 * group_.interval);
            if (std::exchange(by_syncd_, after->by_syncd) != after->by_syncd) {
                ++stamp_changes_;  // stamps of different clocks are not compared
            }
            watch_canaries();  // orchagent may watch other queues now
            return stamp_.arm().map([&] { return after->at; });
        }
        before = std::move(after);
    }
    if (before && before->under_way) {
        reader_->distrust();  // the last canary may no longer be registered: choose again
    }
    return before.map([](const auto&) { return std::optional<Instant>{}; });
}

// A look waits for the next poll, so that a storm is found with the poll that proves it and the time of a poll is
// known. The wait ends early if something else than counters has changed, or if another call of the device waits.
// False: syncd has written nothing since the last poll was read completely.
//
// If a poll is long overdue, the device looks for it without a report: syncd may no longer write the last canary, or
// the connection for reports may be dead.
bool SonicDevice::wait_for_write()
{
    const auto most = std::min(settings_.wake, group_.interval + group_.interval / 4);
    auto others = changes_.fds();
    if (waker_ != nullptr) {
        others.push_back(waker_->fd());
    }
    unread_ = stamp_.await(clock_, unread_ ? Duration{} : most, others) || unread_;
    if (waker_ != nullptr) {
        waker_->reset();
    }
    return unread_ || clock_.now().mono - polled_ > group_.interval + group_.interval / 2;
}

// Waits up to settings_.syncd for the end of a poll that is under way.
Result<PollStamp::Seen> SonicDevice::wait_for_poll()
{
    auto seen = stamp_.look(clock_.now().mono, all_read_);
    for (auto left = settings_.syncd / kLookAgain; seen && seen->under_way && left > 0; --left) {
        ::poll(nullptr, 0, static_cast<int>(kLookAgain.count()));
        seen = stamp_.look(clock_.now().mono);
    }
    return seen;
}

Result<void> SonicDevice::choose_canaries()
{
    if (clock_.now().mono < choose_again_) {
        return {};
    }
    choose_again_ = clock_.now().mono + kBlind;
    const auto group = read_group(store_);
    if (!group) {
        return tl::unexpected(group.error());
    }
    group_ = *group;
    reader_->distrust();
    return reader_->read(store_, clock_.now().mono).map([&] {
        watch_canaries();
        decider_.judge(*reader_, patience(), doubts_.first());
    });
}

void SonicDevice::watch_canaries()
{
    auto keys = canaries(*reader_);
    if (const bool any = !keys.queues.empty(); any != queues_watched_) {
        queues_watched_ = any;
        polled_ = clock_.now().mono;
        if (!any) {
            changes_.start_over();  // the flush of a database sends no notification
        }
    }
    const bool by_queues = has(capabilities_.fields, Field::pause_state);
    stamp_.watch(std::move(keys), group_.interval, by_queues ? PollStamp::Of::queues : PollStamp::Of::ports);
}

Result<void> SonicDevice::put(Instant read_at, watchdog::Intake& into)
{
    doubts_.see({read_at, clock_.now().mono, by_syncd_}, *reader_, *links_);
    decider_.judge(*reader_, patience(), doubts_.first());
    decider_.count_poll();
    if (!decider_.agent_may_decide()) {
        all_read_ = read_at;
        unread_ = false;
        return {};
    }
    if (auto followed = histories_.follow(store_, *reader_); !followed) {
        return followed;
    }
    const auto seen_at = clock_.now();
    for (std::uint32_t row = 0; row != rows_.size(); ++row) {
        put(Slot{row}, read_at, seen_at, into);
    }
    all_read_ = read_at;
    unread_ = false;
    return histories_.write(store_, reader_->layout()).and_then([&] { return publish_again(); });
}

void SonicDevice::put(Slot slot, Instant read_at, const Now& seen_at, watchdog::Intake& into)
{
    const auto& reading = (*reader_)[slot];
    auto& row = rows_[slot.value];
    const bool watched = is_watched(reading);
    if (watched != row.watched || reading.debug_storm != row.debug_storm) {
        row.watched = watched;
        row.debug_storm = reading.debug_storm;
        ++row.changes;
    }
    if (!watched) {
        return;
    }
    if (!reading.alert) {
        repeat_if_lost(slot, reading.status == Status::stormed);
    }
    auto sample = reading.sample;
    sample.slot = slot;
    sample.read_at = read_at;
    sample.epoch = epoch_of(slot);
    row.polls.see(sample, seen_at.wall);
    histories_.see(sample, seen_at.wall);
    if (status_check_.check(sample) == StatusCheck::Verdict::constant) {
        note_once(
            fmt::format("PAUSE_STATUS has never been true for any queue, while the pause time of {} shows that it is "
                        "paused all the time: PAUSE_STATUS is taken as a constant and ignored",
                        to_string(inventory_, inventory_.rows[slot.value].target)));
    }
    if (has(capabilities_.fields, Field::pause_state)) {
        const auto state = row.held.see(sample, group_.interval);
        sample.pause_state = state.value_or(watchdog::PauseState::not_paused);
        sample.known |= state ? bit(Field::pause_state) : 0;
    }
    if (reading.debug_storm) {
        simulate_storm(sample);
    }
    const bool counts = row.signals.mark(sample, seen_at.mono, by_syncd_);
    reader_->set_storm(slot, !row.signals.in_storm() ? Reader::Storm::none
                             : row.signals.settled() ? Reader::Storm::settled
                                                     : Reader::Storm::open);
    if (counts) {
        into.put(sample);
    }
}

std::uint32_t SonicDevice::epoch_of(Slot slot) const
{
    const auto port = reader_->layout().queues[slot.value].port;
    return links_->up(port) ? 1 + links_->changes(port) + rows_[slot.value].changes + stamp_changes_ : 0;
}

// After a restart orchagent may have lost a storm, or may still show one that is over: the agent's request is repeated.
void SonicDevice::repeat_if_lost(Slot slot, bool stormed)
{
    auto& row = rows_[slot.value];
    row.requested = row.requested.value_or(stormed);
    if (*row.requested != stormed) {
        reader_->distrust(slot);
        if (decider_.agent_decides()) {
            again_.push_back(message_for(slot.value, *row.requested));
        }
    }
    // When orchagent takes an entry again, it shows `operational` for up to a second and still treats the queue.
    if (!stormed && !*row.requested) {
        row.signals.end_storm();
    } else if (stormed && !row.signals.in_storm()) {
        row.signals.begin_storm(clock_.now().mono);
    }
}

Message SonicDevice::message_for(std::uint32_t row, bool storm) const
{
    const auto& queue = reader_->layout().queues[row];
    return {queue.oid, reader_->layout().ports[queue.port].name, queue.priority, storm,
            storm ? rows_[row].polls.info() : db::StormInfo{}};
}

Result<void> SonicDevice::publish_again()
{
    const auto messages = std::exchange(again_, {});
    if (messages.empty()) {
        return {};
    }
    return publish_messages(store_, messages);
}

// A simulated storm (DEBUG_STORM): its counters advance with the clock.
void SonicDevice::simulate_storm(Sample& sample) const
{
    sample.known = capabilities_.fields;
    sample.pause_state = watchdog::PauseState::paused;
    sample.paused_now = true;
    sample.raw = {};
    const auto us = static_cast<std::uint64_t>(whole_us(sample.read_at));
    sample[Field::pause_us] = us;
    sample[Field::rx_pfc] = us;
    sample[Field::occupancy] = 1;
}

void SonicDevice::note_once(const std::string& text)
{
    if (noted_.insert(text).second && note_) {
        note_(text);
    }
}

}  // namespace petrel::device::sonic

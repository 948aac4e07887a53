#include "device/sonic/sonic_device.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

namespace petrel::device::sonic {

namespace {

using watchdog::bit;
using watchdog::Command;
using watchdog::Field;
using watchdog::Fields;
using watchdog::has;
using watchdog::Sample;
using watchdog::Treatment;

constexpr Duration kBlind = std::chrono::seconds{1};  // so long without a poll, and it is looked for elsewhere
constexpr std::chrono::milliseconds kLookAgain{2};
constexpr int kPollsMissed = 5;  // so many, if they take longer, and nothing is seen any more
constexpr Fields kPause = bit(Field::pause_state) | bit(Field::paused_now) | bit(Field::pause_us) | bit(Field::on2off);

}  // namespace

SonicDevice::SonicDevice(const db::Databases& databases, DeviceId id, const TimeSource& clock, Note note,
                         const Settings& settings)
    : databases_(databases),
      id_(id),
      clock_(clock),
      note_(std::move(note)),
      settings_(settings),
      store_(databases, settings.redis),
      plugins_(store_, databases_),
      changes_(databases, settings.redis),
      stamp_(databases, settings.redis)
{}

Result<std::unique_ptr<SonicDevice>> SonicDevice::open(const db::Databases& databases, DeviceId id,
                                                       const TimeSource& clock, Note note, const Settings& settings)
{
    std::unique_ptr<SonicDevice> device{new SonicDevice{databases, id, clock, std::move(note), settings}};
    return device->plugins_.claim().and_then([&] { return device->start(); }).map([&] { return std::move(device); });
}

SonicDevice::~SonicDevice()
{
    if (plugins_.ours() && !closed_) {  // nobody else looks after the switch, also if it could not be opened
        if (const auto back = close(); !back) {
            note_once(back.error().what);
        }
    }
}

Result<void> SonicDevice::close()
{
    closed_ = true;
    return plugins_.put_back().map([&](bool any) {
        if (any) {
            note_once("SONiC's own detector is back");
        }
    });
}

Result<void> SonicDevice::start()
{
    auto layout = read_layout(store_);
    if (!layout) {
        return tl::unexpected(std::move(layout.error()));
    }
    adopt(std::move(*layout));
    if (auto read = reader_->read(store_, {}, clock_.now().mono); !read) {
        return read;
    }
    Fields fields = 0;
    for (std::uint32_t row = 0; row != rows_.size(); ++row) {
        const auto& reading = (*reader_)[Slot{row}];
        fields |= reading.status != Status::unwatched ? reading.sample.known : 0;
    }
    if ((fields & (bit(Field::paused_now) | bit(Field::pause_us) | bit(Field::rx_pfc))) == 0) {
        return tl::unexpected(Error{ErrorKind::unreachable,
                                    "no queue has counters of PFC yet: orchagent watches none, or syncd has not "
                                    "read them"});
    }
    if (HeldPause::fits(fields)) {
        fields |= bit(Field::pause_state);
        note_once(
            "the switch tells neither pause time nor the ends of pauses: a queue that is paused at two polls in a "
            "row and sends nothing in between counts as paused");
    }
    capabilities_.fields = fields;
    capabilities_.survive = fields;  // what a mitigation freezes is withheld queue by queue
    capabilities_.treatments = bit(Treatment::drop) | bit(Treatment::ignore_pause);
    capabilities_.reads_back = true;
    return {};
}

// Whoever was there before keeps what is remembered of it.
void SonicDevice::adopt(Layout layout)
{
    std::map<std::string, Row> before;
    for (std::uint32_t row = 0; row != rows_.size(); ++row) {
        before.emplace(reader_->layout().queues[row].oid, rows_[row]);
    }
    const auto generation = inventory_.generation + 1;
    inventory_ = {};
    inventory_.generation = generation;
    rows_.clear();
    for (const auto& port : layout.ports) {
        inventory_.ports.push_back({port.name, "", std::nullopt});
    }
    for (const auto& queue : layout.queues) {
        inventory_.rows.push_back({{{id_, queue.port}, queue.priority}, layout.ports[queue.port].speed, false});
        const auto known = before.find(queue.oid);
        rows_.push_back(known != before.end() ? known->second : Row{});
    }
    links_.emplace(layout);
    histories_ = {};
    reader_.emplace(std::move(layout), [this](const std::string& words) { note_once(words); });
    all_read_.reset();
    choose_again_ = Instant::min();
}

// Whether the rows are still those of before.
Result<bool> SonicDevice::follow()
{
    const auto heard = changes_.listen(clock_.now().mono);
    if (!heard) {
        return tl::unexpected(heard.error());
    }
    auto out = plugins_.keep_out(heard->plugins, clock_.now().mono);
    if (!out) {
        return out;
    }
    if (*out) {
        note_once("SONiC's own detector rests while this agent watches");
    }
    if (heard->layout) {
        auto layout = read_layout(store_);
        if (!layout) {
            return tl::unexpected(std::move(layout.error()));
        }
        // Names that are gone all at once are those of a COUNTERS_DB that is being filled again.
        if (layout->queues.empty() && !rows_.empty()) {
            return tl::unexpected(
                Error{ErrorKind::unreachable,
                      "COUNTERS_DB has no names of queues (COUNTERS_QUEUE_NAME_MAP): orchagent has not filled it yet"});
        }
        if (*layout != reader_->layout()) {
            adopt(std::move(*layout));
            changes_.start_over();  // of new ports the links are not known
            return false;
        }
    }
    if (heard->links) {
        return links_->read(store_, reader_->layout()).map([] { return true; });
    }
    return true;
}

Result<void> SonicDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    for (const auto row : rows) {
        if (row.value >= rows_.size()) {
            return tl::unexpected(
                Error{ErrorKind::invalid, fmt::format("no row {}, there are {}", row.value, rows_.size())});
        }
    }
    return follow()
        .and_then([&](bool same) { return same ? read_one_poll(rows) : Result<std::optional<Instant>>{std::nullopt}; })
        .and_then([&](std::optional<Instant> poll) { return poll ? put(rows, *poll, into) : Result<void>{}; })
        .map_error([&](Error error) {
            start_over();
            return error;
        })
        .and_then([&] { return sees_polls(); });
}

// Whoever sees nothing says so: a switch without polls looks like one without storms.
Result<void> SonicDevice::sees_polls() const
{
    const auto patience = std::max(kBlind, kPollsMissed * group_.interval);
    if (!queues_watched_ || clock_.now().mono - polled_ <= patience) {
        return {};
    }
    return tl::unexpected(
        Error{ErrorKind::unreachable,
              group_.off ? "syncd was told not to poll the watchdog's counters (FLEX_COUNTER_TABLE|PFCWD is disabled): "
                           "no storm can be seen; `pfcwd counter_poll enable` lets it"
                         : "syncd does not poll the watchdog's counters, or faster than they can be read: no storm can "
                           "be seen"});
}

// Where one connection broke the others have, too; and what was heard may not have been followed.
void SonicDevice::start_over()
{
    store_ = db::RedisStore{databases_, settings_.redis};
    stamp_.start_over();
    changes_.start_over();
}

// All of it from the same poll of syncd's. None: nothing is new, or everything changes while it is being read.
Result<std::optional<Instant>> SonicDevice::read_one_poll(std::span<const Slot> rows)
{
    if (auto chosen = choose_canaries(); !chosen) {
        return tl::unexpected(std::move(chosen.error()));
    }
    auto before = wait_for_poll();
    for (int attempt = 0; attempt != 2; ++attempt) {
        if (!before || !before->at || before->at == all_read_) {
            break;
        }
        if (auto read = reader_->read(store_, rows, clock_.now().mono); !read) {
            return tl::unexpected(std::move(read.error()));
        }
        auto after = wait_for_poll();
        if (after && *after == *before) {
            polled_ = clock_.now().mono;
            choose_again_ = polled_ + kBlind;
            if (std::exchange(by_syncd_, after->by_syncd) != after->by_syncd) {
                ++stamp_changes_;  // stamps of different clocks are not compared
            }
            if (rows.empty()) {
                watch_canaries();  // which queues are watched may be others now
            }
            return after->at;
        }
        before = std::move(after);
    }
    return before.map([](const auto&) { return std::optional<Instant>{}; });
}

// One that is under way is over soon.
Result<PollStamp::Seen> SonicDevice::wait_for_poll()
{
    auto seen = stamp_.look(store_, clock_.now().mono);
    for (auto left = settings_.syncd / kLookAgain; seen && seen->under_way && left > 0; --left) {
        ::poll(nullptr, 0, static_cast<int>(kLookAgain.count()));
        seen = stamp_.look(store_, clock_.now().mono);
    }
    return seen;
}

// The first and the last queue that is watched, by their numbers: syncd writes the others between them.
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
    return reader_->read(store_, {}, clock_.now().mono).map([&] { watch_canaries(); });
}

void SonicDevice::watch_canaries()
{
    const auto& queues = reader_->layout().queues;
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
        return std::pair{queues[a].oid.size(), std::string_view{queues[a].oid}} <
               std::pair{queues[b].oid.size(), std::string_view{queues[b].oid}};
    };
    std::optional<std::uint32_t> first;
    std::optional<std::uint32_t> last;
    for (std::uint32_t row = 0; row != rows_.size(); ++row) {
        if ((*reader_)[Slot{row}].status != Status::unwatched) {
            first = first && before(*first, row) ? first : row;
            last = last && before(row, *last) ? last : row;
        }
    }
    std::vector<std::string> keys;
    for (const auto row : {first, last}) {
        if (row && (keys.empty() || first != last)) {
            keys.push_back("COUNTERS:" + queues[*row].oid);
        }
    }
    if (const bool any = !keys.empty(); any != queues_watched_) {
        queues_watched_ = any;
        polled_ = clock_.now().mono;
        if (!any) {
            changes_.start_over();  // a database that was flushed tells nobody
        }
    }
    const bool by_queues = has(capabilities_.fields, Field::pause_state);  // a stamp tells of ports
    stamp_.watch(std::move(keys), group_.interval, !by_queues);
}

Result<void> SonicDevice::put(std::span<const Slot> rows, Instant read_at, watchdog::Intake& into)
{
    if (auto followed = histories_.follow(store_, *reader_); !followed) {
        return followed;
    }
    for (const auto row : rows) {
        put(row, read_at, into);
    }
    if (rows.empty()) {
        for (std::uint32_t row = 0; row != rows_.size(); ++row) {
            put(Slot{row}, read_at, into);
        }
        all_read_ = read_at;
    }
    return histories_.write(store_, reader_->layout()).and_then([&] { return tell_again(); });
}

void SonicDevice::put(Slot slot, Instant read_at, watchdog::Intake& into)
{
    const auto& reading = (*reader_)[slot];
    auto& row = rows_[slot.value];
    const bool watched = reading.status != Status::unwatched && !reading.red_switch;
    if (watched != row.watched || reading.debug_storm != row.debug_storm) {
        row.watched = watched;
        row.debug_storm = reading.debug_storm;
        ++row.changes;
    }
    if (!watched) {
        return;
    }
    if (!reading.alert) {
        keep_as_asked(slot, reading.status == Status::stormed);
    }
    auto sample = reading.sample;
    sample.slot = slot;
    sample.read_at = read_at;
    sample.epoch = epoch_of(slot);
    histories_.see(sample, clock_.now().wall);
    if (has(capabilities_.fields, Field::pause_state)) {
        const auto state = row.held.see(sample);
        sample.pause_state = state.value_or(watchdog::PauseState::not_paused);
        sample.known |= state ? bit(Field::pause_state) : 0;
    }
    if (reading.debug_storm) {
        imagine_storm(sample);
    }
    if (survives_mitigation(row, sample)) {
        sample.epoch = epoch_of(slot);
        sample[Field::pause_us] = row.steady.see(sample);
        into.put(sample);
    }
}

std::uint32_t SonicDevice::epoch_of(Slot slot) const
{
    const auto port = reader_->layout().queues[slot.value].port;
    return links_->up(port) ? 1 + links_->changes(port) + rows_[slot.value].changes + stamp_changes_ : 0;
}

// orchagent may have been started anew and know nothing of a storm, or remember one that is over.
void SonicDevice::keep_as_asked(Slot slot, bool stormed)
{
    auto& row = rows_[slot.value];
    row.asked = row.asked.value_or(stormed);
    if (*row.asked != stormed) {
        again_.push_back({reader_->layout().queues[slot.value].oid, *row.asked});
    }
    if (!stormed) {
        row.stormed_since.reset();
    } else if (!row.stormed_since) {
        row.stormed_since = clock_.now().mono;
    }
}

Result<void> SonicDevice::tell_again()
{
    const auto words = std::exchange(again_, {});
    if (words.empty()) {
        return {};
    }
    return tell(store_, words).map([](std::int64_t) {});
}

// A mitigated queue is not held up by pause, so what measures its pause may stand still while the storm goes on; on
// some switches it does not. Whoever shows pause then is believed, also when it ends. Of the others the frames tell,
// and where none are counted there is nothing better. The first poll may have been under way when the mitigation
// began: it is passed over (false), and the next one tells of both.
bool SonicDevice::survives_mitigation(Row& row, Sample& sample)
{
    if (!row.stormed_since) {
        row.polled_in_storm = row.shows_pause = false;
        return true;
    }
    const bool counted = has(sample.known, Field::pause_us) && sample[Field::pause_us] > row.pause_us;
    const bool paused = has(sample.known, Field::paused_now) && sample.paused_now;
    row.pause_us = sample[Field::pause_us];
    if (!row.polled_in_storm) {
        row.polled_in_storm = sample.read_at > *row.stormed_since;
        return false;
    }
    if (!row.shows_pause && (paused || counted)) {
        row.shows_pause = true;
        ++row.changes;  // what was withheld until now is nothing to compare with
    }
    if (!row.shows_pause && has(sample.known, Field::rx_pfc)) {
        sample.known &= ~kPause;
    }
    return true;
}

// A storm by order: counters of their own kind, which run with the clock.
void SonicDevice::imagine_storm(Sample& sample) const
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

Result<std::uint32_t> SonicDevice::row_of(const Target& target) const
{
    const auto& layout = reader_->layout();
    if (target.port.device == id_ && target.port.index < layout.ports.size()) {
        const auto& port = layout.ports[target.port.index];
        for (auto row = port.first; row != port.first + port.count; ++row) {
            if (target.priority == layout.queues[row].priority) {
                return row;
            }
        }
    }
    return tl::unexpected(Error{ErrorKind::invalid, "there is no such queue"});
}

Result<void> SonicDevice::apply(const Command& command, const Undo&)
{
    const bool storm = command.want != Treatment::none;
    if (storm && !has(capabilities_.treatments, command.want)) {
        return tl::unexpected(
            Error{ErrorKind::unsupported, fmt::format("orchagent has no such action: {}", name(command.want))});
    }
    return row_of(command.target).and_then([&](std::uint32_t row) {
        rows_[row].asked = storm;
        const Word word{reader_->layout().queues[row].oid, storm};
        // Of one that is slow nobody is told later for waiting: it is told of all queues, and asked again later.
        const auto patience = orchagent_answers_ ? settings_.orchagent : Duration{};
        const auto done = have_done(store_, word, to_string(inventory_, command.target), patience);
        orchagent_answers_ = done || done.error().kind != ErrorKind::timed_out;
        if (done) {
            rows_[row].stormed_since = storm ? std::optional{clock_.now().mono} : std::nullopt;
        }
        return done;
    });
}

Result<Treatment> SonicDevice::read_back(const Target& target)
{
    if (!target.priority) {
        return Treatment::none;  // nothing is done to whole ports
    }
    return row_of(target).and_then(
        [&](std::uint32_t row) { return in_force(store_, reader_->layout().queues[row].oid); });
}

void SonicDevice::note_once(const std::string& words)
{
    if (noted_.insert(words).second && note_) {
        note_(words);
    }
}

}  // namespace petrel::device::sonic

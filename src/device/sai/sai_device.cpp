#include "device/sai/sai_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/undo_fields.hpp"

namespace petrel::device::sai {

namespace {

using watchdog::bit;
using watchdog::Command;
using watchdog::Field;
using watchdog::has;
using watchdog::Notice;
using watchdog::Treatment;

constexpr watchdog::Fields kPauseFields =
    bit(Field::pause_state) | bit(Field::paused_now) | bit(Field::pause_us) | bit(Field::rx_pfc) | bit(Field::on2off);
// During a recovery the queue does not stop for pause, so the signals that measure its pause stand still. Its
// continuous state still shows received pause, by definition, and received frames are still counted.
constexpr watchdog::Fields kRecoveryFreezes = bit(Field::paused_now) | bit(Field::pause_us) | bit(Field::on2off);

// The library waits for the longer of the programmed and the observed interval.
Duration longest(const Interval& interval)
{
    return std::chrono::milliseconds{std::max(interval.programmed_ms.value_or(0), interval.observed_ms.value_or(0))};
}

Result<bool> shall_attach(const Profile& profile)
{
    const auto at = profile.find("petrel.attach");
    if (at == profile.end() || at->second == "false") {
        return false;
    }
    if (at->second == "true") {
        return true;
    }
    return tl::unexpected(
        Error{ErrorKind::invalid, fmt::format("profile: petrel.attach is '{}': true or false", at->second)});
}

}  // namespace

Result<std::unique_ptr<SaiDevice>> SaiDevice::open(const LibraryPlace& place, DeviceId id, const TimeSource& clock,
                                                   Notes::Sink report)
{
    std::unique_ptr<SaiDevice> device{new SaiDevice{id, clock, std::move(report)}};
    return device->start(place).map([&] { return std::move(device); });
}

SaiDevice::~SaiDevice()
{
    if (library_) {
        library_->callbacks().listen(nullptr);
    }
    if (detection_) {
        detection_->program({});
    }
}

Result<void> SaiDevice::start(const LibraryPlace& place)
{
    const auto attach = shall_attach(place.profile);
    if (!attach) {
        return tl::unexpected(attach.error());
    }
    auto library = Library::load(place, notes_);
    if (!library) {
        return tl::unexpected(library.error());
    }
    library_ = std::move(*library);
    if (library_->switch_id() == abi::kNullObject) {
        const auto created = create_switch(*library_, *attach, notes_);
        if (!created) {
            return tl::unexpected(created.error());
        }
        library_->remember_switch(*created);
    }
    port_names_ = place.port_names;
    return list_ports(*library_, library_->switch_id()).and_then([&](const std::vector<abi::ObjectId>& listed) {
        return take_ports(listed);
    });
}

// Finds out what the switch has and can do, at the start and when its ports have changed.
Result<void> SaiDevice::take_ports(const std::vector<abi::ObjectId>& listed)
{
    const auto switch_id = library_->switch_id();
    auto ports = find_ports(*library_, listed, ports_, port_names_, notes_);
    if (!ports) {
        return tl::unexpected(ports.error());
    }
    links_.reset();
    detection_.reset();
    buffer_objects_.reset();
    lossless_off_.reset();
    treater_.reset();
    reader_.reset();
    listed_ = listed;
    ports_ = std::move(*ports);
    list_rows();
    reader_.emplace(*library_, switch_id, ports_, places_, clock_, notes_);
    treater_.emplace(*library_, switch_id, ports_, notes_);
    lossless_off_.emplace(*library_, ports_, *treater_);
    read_lossless();
    mark_lossless_rows();
    buffer_objects_.emplace(*library_, ports_, *treater_, named_buffers_);
    frames_without_pfc_ = FramesWithoutPfc{places_.size()};
    detection_.emplace(*library_, switch_id, ports_, notes_);
    links_.emplace(*library_, ports_);
    lost_.emplace(places_.size());
    status_check_ = StatusCheck{places_.size()};

    capabilities_.fields = reader_->fields();
    capabilities_.survive = capabilities_.fields & ~(treater_->recovers() ? kRecoveryFreezes : kPauseFields);
    capabilities_.treatments = treater_->treatments();
    capabilities_.treatments |= lossless_off_->possible() ? bit(Treatment::lossless_off) : 0;
    capabilities_.port_wide = bit(Treatment::lossless_off);
    capabilities_.reads_back = true;
    capabilities_.detects_itself = detection_->possible();
    capabilities_.reads_links = true;
    for (std::uint16_t p = 0; p != ports_.size(); ++p) {
        follow_link(p);
    }
    return {};
}

void SaiDevice::list_rows()
{
    places_.clear();
    all_rows_.clear();
    watched_rows_.clear();
    row_of_.clear();
    port_of_.clear();
    inventory_ = {{}, {}, inventory_.generation + 1};
    port_states_ = std::vector<PortState>(ports_.size());
    masked_.assign(ports_.size(), 0);
    for (std::uint16_t p = 0; p != ports_.size(); ++p) {
        inventory_.ports.push_back({ports_[p].name, "", ports_[p].lane});
        port_of_.emplace(ports_[p].port, p);
        for (std::uint16_t q = 0; q != ports_[p].queues.size(); ++q) {
            const auto row = static_cast<std::uint32_t>(places_.size());
            row_of_.emplace(ports_[p].queues[q].queue, row);
            places_.push_back({p, q});
            all_rows_.push_back(Slot{row});
            watchdog::RowInfo info;
            info.target = {{id_, p}, ports_[p].queues[q].priority};
            inventory_.rows.push_back(info);
        }
    }
}

// Allocates nothing. A library that cannot list its ports at present has the same ports.
bool SaiDevice::has_other_ports()
{
    listed_now_.resize(listed_.size());
    abi::Attribute list{abi::switch_attr::port_list, {}};
    list.value.objlist = {static_cast<std::uint32_t>(listed_now_.size()), listed_now_.data()};
    const auto status = library_->switches().get(library_->switch_id(), {&list, 1});
    return status == abi::status::buffer_overflow ||
           (status == abi::status::success && (list.value.objlist.count != listed_.size() || listed_now_ != listed_));
}

// A notice contains the number of its port. Callbacks therefore wait for the next look: the runner knows the new
// numbers by then, and what they would have reported is found by reading.
Result<void> SaiDevice::take_other_ports()
{
    library_->callbacks().listen(nullptr);
    return list_ports(*library_, library_->switch_id()).and_then([&](const std::vector<abi::ObjectId>& listed) {
        return take_ports(listed);
    });
}

void SaiDevice::read_lossless()
{
    lossless_.clear();
    for (auto& port : ports_) {
        lossless_off_->follow_mask(port);
        lossless_.push_back(lossless_off_->lossless(port));
    }
}

// True: a row has changed.
bool SaiDevice::mark_lossless_rows()
{
    bool changed = false;
    for (auto& row : inventory_.rows) {
        const bool now = (unsigned{lossless_[row.target.port.index]} >> row.target.priority->value & 1U) != 0;
        changed = changed || row.lossless != now;
        row.lossless = now;
    }
    return changed;
}

// Other software may change the PFC mask of a port. The masks are read with the links, and the next look changes the
// inventory.
Result<std::vector<link::LinkSample>> SaiDevice::read_links()
{
    read_lossless();
    return links_->read();
}

Result<std::vector<Delegated>> SaiDevice::delegate_detection(std::span<const DelegatedRow> rows)
{
    const auto shown = [](const Interval& interval) {
        const auto duration = [](std::uint32_t ms) -> Duration { return std::chrono::milliseconds{ms}; };
        TimerShown timer;
        if (interval.programmed_ms) {
            timer.programmed = duration(*interval.programmed_ms);
        }
        if (interval.observed_ms) {
            timer.observed = duration(*interval.observed_ms);
        }
        return timer;
    };
    for (const auto& delegated : rows) {
        if (auto known = check({&delegated.row, 1}); !known) {
            return tl::unexpected(known.error());
        }
    }
    const auto detectors = detection_->program(detectors_for(rows));
    expect_notices(detectors);
    std::vector<Delegated> answers;
    answers.reserve(rows.size());
    for (const auto& delegated : rows) {
        answers.push_back({delegated.row, {}, {}, false});
    }
    for (const auto& detector : detectors) {
        const auto row = row_of_.at(detector.queue->queue);
        *std::ranges::find(answers, Slot{row}, &Delegated::row) = {Slot{row}, shown(detector.detect),
                                                                   shown(detector.recover), detector.on};
    }
    return answers;
}

// Detection is not switched on for a queue whose recovery would do something else than the policy requests.
std::vector<Detector> SaiDevice::detectors_for(std::span<const DelegatedRow> rows)
{
    const auto milliseconds = [](Duration d) {
        return Interval{static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::milliseconds>(d).count()), {}, {}};
    };
    treater_->forget_own_recoveries();
    std::vector<Detector> detectors;
    for (const auto& delegated : rows) {
        const auto place = places_[delegated.row.value];
        const auto& queue = ports_[place.port].queues[place.queue];
        if (const auto set = treater_->delegate_recovery(queue, delegated.action); !set) {
            notes_.add(fmt::format("{}: {}; the library does not detect storms there",
                                   to_string(inventory_, inventory_.rows[delegated.row.value].target),
                                   set.error().what));
            continue;
        }
        detectors.push_back(
            {place.port, &queue, milliseconds(delegated.detect), milliseconds(delegated.restore), false, delegated});
    }
    return detectors;
}

// No notice is expected for rows whose detection is off. A row that is treated already is in a storm that was reported
// earlier. read_back() runs without the lock: a callback inside the library may be waiting for it.
void SaiDevice::expect_notices(std::span<const Detector> detectors)
{
    std::vector<const Detector*> on(places_.size());
    std::vector<bool> treated(places_.size());
    for (const auto& detector : detectors) {
        const auto row = row_of_.at(detector.queue->queue);
        on[row] = detector.on ? &detector : nullptr;
        treated[row] = read_back(inventory_.rows[row].target).value_or(Treatment::none) != Treatment::none;
    }
    const std::lock_guard lock{notices_mutex_};
    for (const auto row : all_rows_) {
        if (const auto* detector = on[row.value]; detector == nullptr) {
            lost_->expect_nothing(row);
        } else {
            const bool met_now = !lost_->expects(row);
            lost_->expect(row, longest(detector->detect), longest(detector->recover), detector->request.action);
            if (met_now && treated[row.value]) {
                lost_->assume_reported(row);
            }
        }
    }
}

// A link that was down only between two looks is noticed by its notification alone.
void SaiDevice::follow_link(std::uint16_t port)
{
    auto& state = port_states_[port];
    const auto now = reader_->link(port);
    const auto flaps = state.flaps.load();
    if (flaps != state.flaps_seen || now.up != state.link.up || now.speed != state.link.speed) {
        ++state.epoch;
        state.flaps_seen = flaps;
    }
    if (now.speed != state.link.speed) {
        for (auto& row : inventory_.rows) {
            if (row.target.port.index == port) {
                row.speed = now.speed;
            }
        }
        ++inventory_.generation;
    }
    state.link = now;
}

Result<void> SaiDevice::check(std::span<const Slot> rows) const
{
    for (const auto row : rows) {
        if (row.value >= places_.size()) {
            return tl::unexpected(
                Error{ErrorKind::invalid, fmt::format("no row {}, there are {}", row.value, places_.size())});
        }
    }
    return {};
}

Result<void> SaiDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    if (has_other_ports()) {
        return take_other_ports();
    }
    if (sink_ != nullptr) {
        library_->callbacks().listen(this);
    }
    if (auto known = check(rows); !known) {
        return known;
    }
    if (mark_lossless_rows()) {
        ++inventory_.generation;
    }
    const auto looked_at = rows.empty() ? std::span<const Slot>{all_rows_} : rows;
    reader_->read_states(looked_at);
    std::optional<std::uint16_t> followed;
    for (const auto row : looked_at) {
        const auto port = places_[row.value].port;
        if (followed != port) {
            follow_link(port);
            followed = port;
        }
        watchdog::Sample sample;
        sample.slot = row;
        sample.epoch = port_states_[port].link.up ? port_states_[port].epoch : 0;
        reader_->fill(row, sample);
        check_status(sample);
        withhold_frozen(row, sample);
        report_missed_notices(sample);
        into.put(sample);
    }
    return {};
}

std::vector<UnseenQueue> SaiDevice::unseen_queues() const
{
    std::vector<UnseenQueue> unseen;
    if (reader_->all_readable()) {
        return unseen;
    }
    for (const auto row : watched_rows_) {
        if (auto why = reader_->why_unreadable(row); !why.empty()) {
            unseen.push_back({to_string(inventory_, inventory_.rows[row.value].target), std::move(why)});
        }
    }
    return unseen;
}

void SaiDevice::check_status(watchdog::Sample& sample)
{
    if (has(sample.known, Field::pause_state)) {
        return;  // PAUSE_STATUS is not read
    }
    switch (status_check_.check(sample)) {
    case StatusCheck::Verdict::as_before: return;
    case StatusCheck::Verdict::constant:
        return notes_.add(
            fmt::format("PAUSE_STATUS has never been true for any queue, while the pause time of {} shows "
                        "that it is paused all the time: PAUSE_STATUS is taken as a constant and ignored",
                        to_string(inventory_, inventory_.rows[sample.slot.value].target)));
    case StatusCheck::Verdict::counts: return notes_.add("PAUSE_STATUS was true now: it is not ignored any more");
    }
}

// A queue whose pause we have masked out is never paused, and if the mask covers all priorities of a port, some
// switches do not count pause frames either. If the mask is the only treatment, Capabilities::survive excludes these
// fields already. This is for the mask that replaces a recovery which had no effect, and for lossless_off.
void SaiDevice::withhold_frozen(Slot row, watchdog::Sample& sample)
{
    const auto place = places_[row.value];
    const auto& port = ports_[place.port];
    if (lossless_off_->treats(port)) {
        const bool counts = has(sample.known, Field::rx_pfc) && frames_without_pfc_.counts(row, sample[Field::rx_pfc]);
        sample.known &= ~(counts ? kPauseFields & ~bit(Field::rx_pfc) : kPauseFields);
        return;
    }
    frames_without_pfc_.pfc_is_on(row);
    const auto masked = masked_[place.port];
    if ((masked & bit_of(port.queues[place.queue])) != 0) {
        sample.known &= ~(port.pfc == masked ? kPauseFields : kPauseFields & ~bit(Field::rx_pfc));
    }
}

void SaiDevice::report_missed_notices(const watchdog::Sample& sample)
{
    if (sink_ == nullptr) {
        return;
    }
    const std::lock_guard lock{notices_mutex_};
    const auto missed = lost_->missed(sample);
    if (!missed) {
        return;
    }
    const auto& target = inventory_.rows[sample.slot.value].target;
    notes_.add(to_string(inventory_, target) +
               (*missed == Notice::Kind::detected
                    ? " has been paused for twice the library's detection time, and the library reported no "
                      "storm: polling detects it"
                    : " has been quiet for longer than the library's recovery time, and the library reported "
                      "no end of the storm: polling detects it"));
    sink_->post(lost_->notice(sample.slot, *missed, target, sample.read_at));
}

void SaiDevice::receive(const abi::DeadlockNotice& notice) noexcept
{
    const auto row = row_of_.find(notice.queue);
    const bool detected = notice.event == static_cast<std::int32_t>(abi::DeadlockEvent::detected);
    const bool recovered = notice.event == static_cast<std::int32_t>(abi::DeadlockEvent::recovered);
    if (row == row_of_.end() || (!detected && !recovered)) {
        return;
    }
    const auto kind = detected ? Notice::Kind::detected : Notice::Kind::recovered;
    const std::lock_guard lock{notices_mutex_};
    if (lost_->receive(Slot{row->second}, kind)) {
        sink_->post(lost_->notice(Slot{row->second}, kind, inventory_.rows[row->second].target, clock_.now().mono));
    }
}

void SaiDevice::receive(const abi::PortStateNotice& notice) noexcept
{
    const auto port = port_of_.find(notice.port);
    if (port == port_of_.end()) {
        return;
    }
    const bool up = notice.state == static_cast<std::int32_t>(abi::OperStatus::up);
    ++port_states_[port->second].flaps;
    links_->receive(port->second, notice);
    sink_->post(
        {up ? Notice::Kind::link_up : Notice::Kind::link_down, {{id_, port->second}, std::nullopt}, clock_.now().mono});
}

void SaiDevice::listen(NoticeSink& sink)
{
    library_->callbacks().listen(nullptr);  // no callback may come while sink_ changes
    sink_ = &sink;
    library_->callbacks().listen(this);
}

Result<SaiDevice::Place> SaiDevice::find(const Target& target) const
{
    const auto fail = [&] {
        return tl::unexpected(
            Error{ErrorKind::invalid,
                  fmt::format("no such queue or port: port {}{}", target.port.index,
                              target.priority ? fmt::format(", priority {}", target.priority->value) : "")});
    };
    if (target.port.device != id_ || target.port.index >= ports_.size()) {
        return fail();
    }
    const auto& port = ports_[target.port.index];
    if (!target.priority) {
        return Place{&port, nullptr};
    }
    const auto queue = std::ranges::find(port.queues, *target.priority, &QueueObjects::priority);
    if (queue == port.queues.end()) {
        return fail();
    }
    return Place{&port, &*queue};
}

Result<SaiDevice::Place> SaiDevice::check(const Command& command) const
{
    const auto refuse = [](std::string why) { return tl::unexpected(Error{ErrorKind::unsupported, std::move(why)}); };
    const auto can = treater_->treatments() | (lossless_off_->possible() ? bit(Treatment::lossless_off) : 0);
    if (command.want != Treatment::none && !has(can, command.want)) {
        return refuse(fmt::format("this library cannot do {}", watchdog::name(command.want)));
    }
    if (command.want != Treatment::none &&
        has(capabilities_.port_wide, command.want) == command.target.priority.has_value()) {
        return refuse(fmt::format("{} does not apply to a {}", watchdog::name(command.want),
                                  command.target.priority ? "queue" : "port"));
    }
    return find(command.target);
}

// If a queue or port is treated already, its former settings are unknown: the Undo holds the default settings.
Result<Undo> SaiDevice::prepare(const Command& command)
{
    return check(command).and_then([&](const Place& place) -> Result<Undo> {
        if (place.queue == nullptr) {
            return lossless_off_->before(*place.port).map([](const PortSettings& now) { return to_undo(now); });
        }
        if (lossless_off_->treats(*place.port)) {
            return to_undo(treater_->usual(*place.port, *place.queue));
        }
        if (command.want != Treatment::none && (lossless_off_->lossless(*place.port) & bit_of(*place.queue)) == 0) {
            return tl::unexpected(
                Error{ErrorKind::unsupported,
                      fmt::format("PFC is off for priority {} of this port: no peer can pause the queue",
                                  place.queue->priority.value)});
        }
        return treater_->read(*place.port, *place.queue).map([&](const QueueSettings& now) {
            const bool untouched = treater_->shown_by(*place.port, *place.queue, now) == Treatment::none;
            return to_undo(untouched ? now : treater_->usual(*place.port, *place.queue));
        });
    });
}

Result<void> SaiDevice::apply(const Command& command, const Undo& undo)
{
    return check(command).and_then([&](const Place& place) {
        return place.queue == nullptr ? apply_to_port(command, undo) : apply_to_queue(command, place, undo);
    });
}

Result<void> SaiDevice::apply_to_port(const Command& command, const Undo& undo)
{
    auto& port = ports_[command.target.port.index];
    if (command.want == Treatment::none && undo.size == 0 && !lossless_off_->treats(port)) {
        return {};
    }
    const auto before =
        undo.size == 0 ? Result<PortSettings>{lossless_off_->usual(port)} : from_undo<PortSettings>(undo);
    return before
        .and_then([&](const PortSettings& settings) {
            return command.want == Treatment::none ? lossless_off_->restore(port, settings)
                                                   : lossless_off_->switch_off(port, settings);
        })
        .map([&] {
            if (command.want == Treatment::none) {
                std::ranges::for_each(port.queues, [&](const QueueObjects& queue) { expect_no_end(queue); });
            }
        });
}

Result<void> SaiDevice::apply_to_queue(const Command& command, const Place& place, const Undo& undo)
{
    const auto before = undo.size == 0 ? Result<QueueSettings>{treater_->usual(*place.port, *place.queue)}
                                       : from_undo<QueueSettings>(undo);
    return before
        .and_then([&](const QueueSettings& settings) {
            if (lossless_off_->treats(*place.port)) {
                lossless_off_->postpone(*place.port, *place.queue, command.want, settings);
                return Result<void>{};
            }
            return treater_->write(*place.port, *place.queue, command.want, settings);
        })
        .map([&] {
            if (command.want == Treatment::none) {
                expect_no_end(*place.queue);
            }
        });
}

// We ended the queue's recovery ourselves: no notice is missing.
void SaiDevice::expect_no_end(const QueueObjects& queue)
{
    const std::lock_guard lock{notices_mutex_};
    lost_->receive(Slot{row_of_.at(queue.queue)}, Notice::Kind::recovered);
}

Result<Treatment> SaiDevice::read_back(const Target& target)
{
    return find(target).and_then([&](const Place& place) -> Result<Treatment> {
        if (place.queue == nullptr) {
            return lossless_off_->shown(*place.port);
        }
        if (lossless_off_->treats(*place.port)) {
            return lossless_off_->postponed(*place.port, *place.queue);
        }
        return treater_->read(*place.port, *place.queue).map([&](const QueueSettings& now) {
            const auto shown = treater_->shown_by(*place.port, *place.queue, now);
            auto& masked = masked_[target.port.index];
            const bool by_mask = shown == Treatment::ignore_pause && now.honours_pause == 0;
            masked =
                static_cast<std::uint8_t>(by_mask ? masked | bit_of(*place.queue) : masked & ~bit_of(*place.queue));
            return shown;
        });
    });
}

}  // namespace petrel::device::sai

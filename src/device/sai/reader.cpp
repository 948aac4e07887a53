#include "device/sai/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace petrel::device::sai {

namespace {

using watchdog::bit;
using watchdog::Field;
using watchdog::Fields;
using watchdog::has;
using watchdog::PauseState;

// Longer than any poll needs, shorter than any detection time.
constexpr Duration kSlow = std::chrono::milliseconds{50};

// Bulk reads are limited to this many queues, so that the time of each read is known well enough.
constexpr std::size_t kBulk = 256;

struct PortCounter {
    Field field;
    abi::StatId (*id)(unsigned priority);
    std::string_view name;
};

constexpr std::array kPortCounters{
    PortCounter{Field::pause_us, abi::port_stat::pfc_rx_pause_duration_us, "PFC_n_RX_PAUSE_DURATION_US"},
    PortCounter{Field::rx_pfc, abi::port_stat::pfc_rx_pkts, "PFC_n_RX_PKTS"},
    PortCounter{Field::on2off, abi::port_stat::pfc_on2off_rx_pkts, "PFC_n_ON2OFF_RX_PKTS"},
    PortCounter{Field::pause_tx, abi::port_stat::pfc_tx_pkts, "PFC_n_TX_PKTS"},
    PortCounter{Field::pause_tx_us, abi::port_stat::pfc_tx_pause_duration_us, "PFC_n_TX_PAUSE_DURATION_US"}};

struct ObjectCounter {
    Field field;
    abi::StatId id;
    std::string_view name;
};

constexpr std::array kQueueCounters{
    ObjectCounter{Field::tx_packets, abi::queue_stat::packets, "PACKETS of a queue"},
    ObjectCounter{Field::tx_bytes, abi::queue_stat::bytes, "BYTES of a queue"},
    ObjectCounter{Field::tx_drops, abi::queue_stat::dropped_packets, "DROPPED_PACKETS of a queue"},
    ObjectCounter{Field::occupancy, abi::queue_stat::curr_occupancy_bytes, "CURR_OCCUPANCY_BYTES of a queue"}};

constexpr std::array kGroupCounters{
    ObjectCounter{Field::rx_packets, abi::group_stat::packets, "PACKETS of a priority group"},
    ObjectCounter{Field::rx_drops, abi::group_stat::dropped_packets, "DROPPED_PACKETS of a priority group"}};

std::string seconds(Duration d) { return fmt::format("{:.1f} s", std::chrono::duration<double>(d).count()); }

}  // namespace

Reader::Reader(const Library& library, abi::ObjectId switch_id, std::span<const PortObjects> ports,
               std::span<const RowPlace> rows, const TimeSource& clock, Notes& notes)
    : library_(library), ports_(ports), rows_(rows), clock_(clock), notes_(notes)
{
    const auto& first_port = ports_[rows_.front().port];
    const auto& first = queue(Slot{0});
    find_state_attributes(first, switch_id);
    find_link_attributes(first_port);
    find_counters(first_port, first);
    bulk_ = reads_in_bulk(first);

    states_.resize(rows_.size());
    port_counters_.resize(ports_.size());
    failing_rows_.resize(rows_.size());
    failing_ports_.resize(ports_.size());
    for (std::size_t p = 0; p != ports_.size(); ++p) {
        auto& ids = port_ids_.emplace_back();
        for (const auto& queue : ports_[p].queues) {
            for (const auto& counter : kPortCounters) {
                if (has(fields_, counter.field)) {
                    ids.push_back(counter.id(queue.priority.value));
                }
            }
        }
        port_counters_[p].values.resize(ids.size());
    }
    bulk_objects_.resize(kBulk);
    bulk_counts_.resize(kBulk, static_cast<std::uint32_t>(state_attributes_.size()));
    bulk_attributes_.resize(kBulk * state_attributes_.size());
    bulk_lists_.resize(kBulk);
    bulk_statuses_.resize(kBulk);
    for (std::size_t i = 0; i != kBulk; ++i) {
        bulk_lists_[i] = bulk_attributes_.data() + i * state_attributes_.size();
    }
}

void Reader::find_state_attributes(const QueueObjects& queue, abi::ObjectId switch_id)
{
    const auto find = [&](abi::AttrId id, Field field) {
        const auto value = library_.queues().get(queue.queue, id);
        if (value) {
            state_attributes_.push_back(id);
            fields_ |= bit(field);
            return;
        }
        const bool claimed = library_.claims_get(switch_id, abi::ObjectType::queue, id);
        notes_.add(fmt::format("{}{}; it is not used", value.error().what,
                               claimed ? ", though the library claims that it can be read" : ""));
    };
    if (library_.version() >= abi::kContinuousState) {
        find(abi::queue_attr::pfc_continuous_deadlock_state, Field::pause_state);
    } else {
        notes_.add("the library is older than 1.10: there is no PFC_CONTINUOUS_DEADLOCK_STATE, no interval of a port "
                   "and no packet action of a queue");
    }
    find(abi::queue_attr::pause_status, Field::paused_now);
}

void Reader::find_link_attributes(const PortObjects& port)
{
    namespace attr = abi::port_attr;
    const auto find = [&](abi::AttrId id) {
        const bool there = library_.ports().get(port.port, id).has_value();
        if (there) {
            link_attributes_.push_back(id);
        }
        return there;
    };
    if (!find(attr::oper_status)) {
        notes_.add("ports do not report OPER_STATUS; a link counts as up until a notification reports it down");
    }
    if (!find(attr::oper_speed) && !find(attr::speed)) {
        notes_.add("ports report neither OPER_SPEED nor SPEED; it is unknown how long a pause frame holds a queue");
    }
}

void Reader::find_counters(const PortObjects& port, const QueueObjects& queue)
{
    const auto readable = [&](const Objects& objects, abi::ObjectId object, abi::StatId id, std::string_view name,
                              bool missed = true) {
        std::uint64_t value = 0;
        const auto status = object == abi::kNullObject ? abi::Status{abi::status::not_implemented}
                                                       : objects.stats(object, {&id, 1}, &value);
        if (status != abi::status::success && missed) {
            notes_.add(fmt::format("counter {}: {}; it is not used", name, status_text(status)));
        }
        return status == abi::status::success;
    };
    for (const auto& counter : kPortCounters) {
        // The duration of sent pause adds nothing if the sent pause frames are counted: then its absence is not noted.
        const bool missed = counter.field != Field::pause_tx_us || !has(fields_, Field::pause_tx);
        if (readable(library_.ports(), port.port, counter.id(queue.priority.value), counter.name, missed)) {
            fields_ |= bit(counter.field);
            port_fields_.push_back(counter.field);
        }
    }
    for (const auto& counter : kQueueCounters) {
        if (readable(library_.queues(), queue.queue, counter.id, counter.name)) {
            fields_ |= bit(counter.field);
            queue_counters_.push_back({counter.field, counter.id});
        }
    }
    for (const auto& counter : kGroupCounters) {
        if (readable(library_.groups(), queue.group, counter.id, counter.name)) {
            fields_ |= bit(counter.field);
            group_counters_.push_back({counter.field, counter.id});
        }
    }
}

bool Reader::reads_in_bulk(const QueueObjects& queue) const
{
    const auto get_many = library_.get_many_queues();
    if (get_many == nullptr || state_attributes_.empty()) {
        return false;
    }
    std::vector<abi::Attribute> attributes;
    attributes.reserve(state_attributes_.size());
    for (const auto id : state_attributes_) {
        attributes.push_back({id, {}});
    }
    const auto count = static_cast<std::uint32_t>(attributes.size());
    auto* list = attributes.data();
    abi::Status each = abi::status::not_executed;
    const auto status = get_many(1, &queue.queue, &count, &list, abi::BulkErrors::ignore_error, &each);
    return status == abi::status::success && each == abi::status::success;
}

// One call for each attribute: if a library fails one attribute, it fails the whole call. Some libraries fail
// OPER_SPEED of a port that is up; then SPEED is read instead.
Reader::Link Reader::link(std::size_t port)
{
    Link link;
    const auto read = [&](abi::AttrId id) {
        abi::Attribute attribute{id, {}};
        const auto status = library_.ports().get(ports_[port].port, {&attribute, 1});
        return status == abi::status::success ? std::optional{attribute.value} : std::nullopt;
    };
    const auto before = clock_.now().mono;
    for (const auto id : link_attributes_) {
        auto value = read(id);
        if (!value && id == abi::port_attr::oper_speed) {
            value = read(abi::port_attr::speed);
        }
        if (!value) {
            continue;
        }
        if (id == abi::port_attr::oper_status) {
            const auto status = static_cast<abi::OperStatus>(value->s32);
            link.up = status != abi::OperStatus::down && status != abi::OperStatus::not_present;
        } else {
            link.speed = {std::uint64_t{value->u32} * 1'000'000};
        }
    }
    note_slow(clock_.now().mono - before, "get OPER_STATUS");
    return link;
}

void Reader::read_states(std::span<const Slot> rows)
{
    ++look_;
    for (; bulk_ && !rows.empty(); rows = rows.subspan(std::min(kBulk, rows.size()))) {
        read_many(rows.first(std::min(kBulk, rows.size())));
    }
    for (const auto row : rows) {
        read_one(row);
    }
}

void Reader::read_one(Slot row)
{
    std::array<abi::Attribute, 2> storage{};
    for (std::size_t i = 0; i != state_attributes_.size(); ++i) {
        storage[i].id = state_attributes_[i];
    }
    const std::span<abi::Attribute> attributes{storage.data(), state_attributes_.size()};
    const auto before = clock_.now().mono;
    const auto status =
        attributes.empty() ? abi::Status{abi::status::success} : library_.queues().get(queue(row).queue, attributes);
    take(row, status, attributes, before, clock_.now().mono);
}

void Reader::read_many(std::span<const Slot> rows)
{
    const auto width = state_attributes_.size();
    for (std::size_t i = 0; i != rows.size(); ++i) {
        bulk_objects_[i] = queue(rows[i]).queue;
        bulk_statuses_[i] = abi::status::not_executed;
        for (std::size_t a = 0; a != width; ++a) {
            bulk_lists_[i][a] = {state_attributes_[a], {}};
        }
    }
    const auto before = clock_.now().mono;
    // The status of each queue is returned separately.
    library_.get_many_queues()(static_cast<std::uint32_t>(rows.size()), bulk_objects_.data(), bulk_counts_.data(),
                               bulk_lists_.data(), abi::BulkErrors::ignore_error, bulk_statuses_.data());
    const auto after = clock_.now().mono;
    for (std::size_t i = 0; i != rows.size(); ++i) {
        take(rows[i], bulk_statuses_[i], {bulk_lists_[i], width}, before, after);
    }
}

void Reader::take(Slot row, abi::Status status, std::span<const abi::Attribute> attributes, Instant before,
                  Instant after)
{
    auto& state = states_[row.value];
    state = {after, 0, PauseState::not_paused, false};
    follow_status(failing_rows_[row.value], status);
    if (status != abi::status::success) {
        return;
    }
    for (const auto& attribute : attributes) {
        if (attribute.id == abi::queue_attr::pause_status) {
            state.paused_now = attribute.value.booldata;
            state.known |= bit(Field::paused_now);
            continue;
        }
        switch (static_cast<abi::DeadlockState>(attribute.value.s32)) {
        case abi::DeadlockState::not_paused: state.pause_state = PauseState::not_paused; break;
        case abi::DeadlockState::paused: state.pause_state = PauseState::paused; break;
        case abi::DeadlockState::paused_not_continuous: state.pause_state = PauseState::not_continuous; break;
        default:
            notes_.add(
                fmt::format("PFC_CONTINUOUS_DEADLOCK_STATE is {}, which is no valid state", attribute.value.s32));
            continue;
        }
        state.known |= bit(Field::pause_state);
    }
    if (after - before > kSlow) {
        note_slow(after - before, "get PFC_CONTINUOUS_DEADLOCK_STATE");
        if (state.pause_state == PauseState::paused) {
            state.pause_state = PauseState::not_continuous;
        }
    }
}

void Reader::read_port(std::size_t port)
{
    auto& counters = port_counters_[port];
    if (counters.look == look_) {
        return;
    }
    counters.look = look_;
    const auto before = clock_.now().mono;
    const auto status = library_.ports().stats(ports_[port].port, port_ids_[port], counters.values.data());
    note_slow(clock_.now().mono - before, "get counters of a port");
    counters.known = status == abi::status::success;
    follow_status(failing_ports_[port], status);
}

void Reader::follow_status(Failing& failing, abi::Status status)
{
    const bool failed_before = failing.status != abi::status::success;
    const bool fails = status != abi::status::success;
    if (fails && !failed_before) {
        failing.since = clock_.now().mono;
        ++unreadable_;
    } else if (!fails && failed_before) {
        --unreadable_;
    }
    failing.status = status;
}

std::string Reader::why_failing(const Failing& failing, std::string_view what) const
{
    constexpr Duration kNotJustOnce = std::chrono::seconds{1};
    const bool long_enough =
        failing.status != abi::status::success && clock_.now().mono - failing.since >= kNotJustOnce;
    return long_enough ? fmt::format("the library cannot read {}: {}", what, status_text(failing.status)) : "";
}

std::string Reader::why_unreadable(Slot row) const
{
    auto why = why_failing(failing_rows_[row.value], "its state");
    return !why.empty() ? why : why_failing(failing_ports_[rows_[row.value].port], "the counters of its port");
}

// A counter that has never counted anything may not be implemented. Therefore a count of zero frames proves no quiet,
// and a pause time of zero proves nothing unless the state shows that the queue is not paused.
void Reader::put(Field field, std::uint64_t value, watchdog::Sample& into)
{
    counted_ |= value != 0 ? bit(field) : 0;
    const bool free = has(into.known, Field::pause_state) ? into.pause_state == PauseState::not_paused
                                                          : has(into.known, Field::paused_now) && !into.paused_now;
    if (!has(counted_, field) && (field == Field::rx_pfc || (field == Field::pause_us && !free))) {
        return;
    }
    into.known |= bit(field);
    into[field] = value;
}

void Reader::fill(Slot row, watchdog::Sample& into)
{
    const auto& state = states_[row.value];
    const auto place = rows_[row.value];
    into.read_at = state.read_at;
    into.known = state.known;
    into.pause_state = state.pause_state;
    into.paused_now = state.paused_now;
    if (!port_fields_.empty()) {
        read_port(place.port);
        const auto& counters = port_counters_[place.port];
        for (std::size_t i = 0; counters.known && i != port_fields_.size(); ++i) {
            put(port_fields_[i], counters.values[place.queue * port_fields_.size() + i], into);
        }
    }
    const auto read = [&](const Objects& objects, abi::ObjectId object, const std::vector<Counter>& counters) {
        std::array<abi::StatId, kQueueCounters.size()> ids{};
        std::array<std::uint64_t, kQueueCounters.size()> values{};
        for (std::size_t i = 0; i != counters.size(); ++i) {
            ids[i] = counters[i].id;
        }
        if (counters.empty() || object == abi::kNullObject ||
            objects.stats(object, {ids.data(), counters.size()}, values.data()) != abi::status::success) {
            return;
        }
        for (std::size_t i = 0; i != counters.size(); ++i) {
            put(counters[i].field, values[i], into);
        }
    };
    read(library_.queues(), queue(row).queue, queue_counters_);
    read(library_.groups(), queue(row).group, group_counters_);
}

void Reader::note_slow(Duration took, std::string_view what)
{
    if (took > kSlow) {
        notes_.add(fmt::format("{} took {}: the time of its values is uncertain, so they prove no pause", what,
                               seconds(took)));
    }
}

}  // namespace petrel::device::sai

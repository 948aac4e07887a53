#include "device/sonic/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>

#include "base/complaint_text.hpp"
#include "device/sonic/number.hpp"

namespace petrel::device::sonic {

namespace {

using watchdog::bit;
using watchdog::Field;
using watchdog::Fields;

constexpr Duration kWholeEvery = std::chrono::seconds{1};
constexpr Fields kFramesRead = bit(Field::rx_pfc) | bit(Field::on2off);
constexpr Fields kPacketsRead = bit(Field::tx_packets) | bit(Field::tx_drops);

// One field alone is cheaper with HGET: the reply is no list.
const char* command_for(std::size_t fields) { return fields == 1 ? "HGET" : "HMGET"; }

// The values in a reply to command_for(fields). None: the key is no hash.
class Values {
public:
    Values(redis::View reply, std::size_t fields)
        : reply_(reply), alone_(fields == 1), readable_(alone_ ? !reply.error() : reply.size() == fields)
    {}

    bool readable() const { return readable_; }
    redis::View operator[](std::size_t field) const { return alone_ ? reply_ : reply_[field]; }

private:
    redis::View reply_;
    bool alone_;
    bool readable_;
};

}  // namespace

Status status_of(std::string_view pfc_wd_status)
{
    return pfc_wd_status == "stormed"       ? Status::stormed
           : pfc_wd_status == "operational" ? Status::operational
                                            : Status::unwatched;
}

// RX_PAUSE_DURATION of a port is not read: its unit depends on the vendor.
struct Reader::QueueField {
    std::string_view name;
    Fields needs{};    // requested if the switch has one of these; 0: always
    QueueRead from{};  // the first kind of read that includes it; all later kinds do, too
    void (*take)(Reader&, Reading&, redis::View){};
};

const std::vector<Reader::QueueField>& Reader::queue_fields()
{
    static const std::vector<QueueField> fields{
        {"SAI_QUEUE_ATTR_PAUSE_STATUS", bit(Field::paused_now), QueueRead::settled,
         [](Reader&, Reading& reading, redis::View view) {
             if (view.text() == "true" || view.text() == "false") {
                 reading.sample.known |= bit(Field::paused_now);
                 reading.sample.paused_now = view.text() == "true";
             }
         }},
        {"SAI_QUEUE_STAT_PACKETS", bit(Field::tx_packets), QueueRead::paused,
         [](Reader& reader, Reading& reading, redis::View view) {
             reader.take(reading.sample, Field::tx_packets, view);
         }},
        {"SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", bit(Field::occupancy), QueueRead::paused,
         [](Reader& reader, Reading& reading, redis::View view) {
             reader.take(reading.sample, Field::occupancy, view);
         }},
        {"PFC_WD_STATUS", 0, QueueRead::state,
         [](Reader&, Reading& reading, redis::View view) { reading.status = status_of(view.text()); }},
        {"SAI_QUEUE_STAT_DROPPED_PACKETS", bit(Field::tx_drops), QueueRead::stormed,
         [](Reader& reader, Reading& reading, redis::View view) {
             reader.take(reading.sample, Field::tx_drops, view);
         }},
        {"PFC_WD_ACTION", 0, QueueRead::everything,
         [](Reader&, Reading& reading, redis::View view) { reading.alert = view.text() == "alert"; }},
        {"BIG_RED_SWITCH_MODE", 0, QueueRead::everything,
         [](Reader&, Reading& reading, redis::View view) { reading.red_switch = view.text() == "enable"; }},
        {"DEBUG_STORM", 0, QueueRead::everything,
         [](Reader&, Reading& reading, redis::View view) { reading.debug_storm = view.text() == "enabled"; }},
        {"PFC_STAT_HISTORY", 0, QueueRead::everything,
         [](Reader&, Reading& reading, redis::View view) { reading.history = view.text() == "enable"; }},
        {"PFC_WD_DETECTION_TIME", 0, QueueRead::everything,
         [](Reader&, Reading& reading, redis::View view) { reading.registered = !view.nothing(); }}};
    return fields;
}

Reader::Reader(Layout layout, Note note)
    : layout_(std::move(layout)),
      note_(std::move(note)),
      with_frames_(layout_.ports.size(), true),
      frames_read_(layout_.ports.size()),
      wanted_(layout_.queues.size(), QueueRead::everything),
      storms_(layout_.queues.size())
{
    readings_.resize(layout_.queues.size());
    prepare();
}

void Reader::read_only(Fields fields)
{
    if (std::exchange(fields_, fields) != fields) {
        prepare();
    }
}

// Prepares all possible commands. A poll combines those that it needs.
void Reader::prepare()
{
    constexpr PortField kTime{Field::pause_us, "RX_PAUSE_DURATION_US"};
    constexpr std::array<PortField, 2> kFrames{{{Field::rx_pfc, "RX_PKTS"}, {Field::on2off, "ON2OFF_RX_PKTS"}}};
    port_reads_ = {};
    for (const auto read : {PortRead::time, PortRead::time_and_frames, PortRead::frames}) {
        auto& fields = port_reads_[static_cast<std::size_t>(read)];
        if (read != PortRead::frames && has(fields_, kTime.field)) {
            fields.push_back(kTime);
        }
        if (read != PortRead::time) {
            std::ranges::copy_if(kFrames, std::back_inserter(fields),
                                 [&](const PortField& one) { return has(fields_, one.field); });
        }
    }
    queue_reads_ = {};
    for (const auto read :
         {QueueRead::settled, QueueRead::state, QueueRead::paused, QueueRead::stormed, QueueRead::everything}) {
        // If the queue has no pause state to read, its status can wait for the read of everything, too.
        const bool with_status = has(fields_, Field::paused_now) || read >= QueueRead::stormed;
        for (const auto& one : queue_fields()) {
            if (one.from <= read && (one.needs == 0 ? with_status : (one.needs & fields_) != 0)) {
                queue_reads_[static_cast<std::size_t>(read)].push_back(&one);
            }
        }
    }
    port_commands_.clear();
    for (const auto& place : layout_.ports) {
        for (const auto& fields : port_reads_) {
            std::vector<std::string> arguments{command_for(place.count * fields.size()), "COUNTERS:" + place.oid};
            for (std::uint32_t i = 0; i != place.count; ++i) {
                for (const auto& [field, name] : fields) {
                    arguments.push_back(
                        fmt::format("SAI_PORT_STAT_PFC_{}_{}", layout_.queues[place.first + i].priority.value, name));
                }
            }
            port_commands_.add(std::vector<std::string_view>{arguments.begin(), arguments.end()});
        }
    }
    queue_commands_.clear();
    for (const auto& place : layout_.queues) {
        const auto key = "COUNTERS:" + place.oid;
        for (const auto& fields : queue_reads_) {
            std::vector<std::string_view> arguments{command_for(fields.size()), key};
            std::ranges::transform(fields, std::back_inserter(arguments), &QueueField::name);
            queue_commands_.add(arguments);
        }
    }
    poll_ = {};
}

// Skips ports that are not mapped, which have no counters, and reads without fields.
void Reader::add(Plan& plan, PortRead read, std::uint32_t port) const
{
    const auto kind = static_cast<std::size_t>(read);
    if (!layout_.ports[port].oid.empty() && !port_reads_[kind].empty()) {
        plan.pipeline.add(port_commands_, port * all_of<PortRead> + kind);
        plan.steps.push_back({true, static_cast<std::uint8_t>(read), port});
    }
}

void Reader::add(Plan& plan, QueueRead read, std::uint32_t queue) const
{
    const auto kind = static_cast<std::size_t>(read);
    if (!queue_reads_[kind].empty()) {
        plan.pipeline.add(queue_commands_, queue * all_of<QueueRead> + kind);
        plan.steps.push_back({false, static_cast<std::uint8_t>(read), queue});
    }
}

Result<void> Reader::read(db::RedisStore& store, Instant now)
{
    std::vector<Before> before;
    before.reserve(readings_.size());
    const bool whole = now >= whole_due_;
    for (std::uint32_t row = 0; row != readings_.size(); ++row) {
        auto& reading = readings_[row];
        before.push_back({reading.status, reading.sample[Field::pause_us]});
        reading.sample.known &= kFramesRead | (wanted_[row] == QueueRead::settled && !whole ? kPacketsRead : 0);
    }
    choose(whole);
    const auto interval = now - std::exchange(read_at_, now);
    return carry_out(store, poll_).and_then([&] { return read_changes(store, before, interval); }).and_then([&] {
        for (auto& reading : readings_) {
            reading.counters = reading.sample.known | (whole ? reading.counters & kFramesRead : reading.counters);
        }
        whole_due_ = whole ? now + kWholeEvery : whole_due_;
        // If orchagent has changed the status of a queue, it may have changed settings, too.
        const bool same = std::ranges::equal(readings_, before, {}, &Reading::status, &Before::status);
        if (whole || same) {
            return Result<void>{};
        }
        Plan plan;
        for (std::uint32_t row = 0; row != readings_.size(); ++row) {
            add(plan, QueueRead::everything, row);
        }
        return carry_out(store, plan);
    });
}

// Makes a new plan only if the choice has changed: twice a second on a switch where nothing changes.
void Reader::choose(bool whole)
{
    auto choice = whole ? std::vector<QueueRead>(readings_.size(), QueueRead::everything) : wanted_;
    if (choice == choice_ && !poll_.steps.empty()) {
        return;
    }
    choice_ = std::move(choice);
    poll_ = {};
    for (std::uint32_t port = 0; port != layout_.ports.size(); ++port) {
        frames_read_[port] = with_frames_[port] || (whole && has_settled_state(port));
        add(poll_, frames_read_[port] ? PortRead::time_and_frames : PortRead::time, port);
    }
    for (std::uint32_t row = 0; row != choice_.size(); ++row) {
        add(poll_, choice_[row], row);
    }
}

Reader::QueueRead Reader::wanted_of(std::uint32_t queue, const Before& before, Duration interval) const
{
    const auto& reading = readings_[queue];
    const auto& sample = reading.sample;
    const bool known = (sample.known & (bit(Field::paused_now) | bit(Field::pause_us))) != 0;
    const bool paused_now = has(sample.known, Field::paused_now) && sample.paused_now;
    const auto paused_us = sample[Field::pause_us] - before.pause_us;
    if (!known || reading.status == Status::stormed || storms_[queue] != Storm::none) {
        const bool goes_on = has(sample.known, Field::pause_us)
                                 ? 2 * paused_us > static_cast<std::uint64_t>(whole_us(interval))
                                 : paused_now;
        return known && storms_[queue] == Storm::settled && goes_on ? QueueRead::settled : QueueRead::stormed;
    }
    return paused_us != 0 || paused_now ? QueueRead::paused : QueueRead::state;
}

// Whether a storm of the port goes on by a state alone. The mitigation may freeze a state: then no frames arrive.
bool Reader::has_settled_state(std::uint32_t port) const
{
    const auto& place = layout_.ports[port];
    return has(fields_, Field::paused_now) &&
           std::ranges::count(std::span{wanted_}.subspan(place.first, place.count), QueueRead::settled) != 0;
}

// Reads what matters now and did not at the last poll: counters of queues, frames of ports.
Result<void> Reader::read_changes(db::RedisStore& store, std::span<const Before> before, Duration interval)
{
    Plan plan;
    std::vector<bool> with_frames(layout_.ports.size());
    const bool prove = has(fields_, Field::on2off) || !has(fields_, Field::pause_us);
    for (std::uint32_t port = 0; port != layout_.ports.size(); ++port) {
        const auto& place = layout_.ports[port];
        for (auto row = place.first; row != place.first + place.count; ++row) {
            wanted_[row] = wanted_of(row, before[row], interval);
            const auto paused_us = readings_[row].sample[Field::pause_us] - before[row].pause_us;
            const bool nearly_all = paused_us >= static_cast<std::uint64_t>(whole_us(interval)) / 32 * 31;
            with_frames[port] = with_frames[port] || wanted_[row] == QueueRead::stormed ||
                                (wanted_[row] == QueueRead::paused && (prove || nearly_all));
            if (wanted_[row] > choice_[row]) {
                add(plan, wanted_[row], row);
            }
        }
        if (with_frames[port] && !frames_read_[port]) {
            add(plan, PortRead::frames, port);
        }
        for (auto row = place.first; row != place.first + place.count; ++row) {
            // Frames have arrived, but their count was not read.
            if (!with_frames[port] && !frames_read_[port] && wanted_[row] != QueueRead::state) {
                readings_[row].sample.known &= wanted_[row] == QueueRead::settled ? ~bit(Field::rx_pfc) : ~kFramesRead;
            }
        }
    }
    if (with_frames != with_frames_) {
        with_frames_ = std::move(with_frames);
        poll_ = {};
    }
    return carry_out(store, plan);
}

Result<void> Reader::carry_out(db::RedisStore& store, const Plan& plan)
{
    if (plan.steps.empty()) {
        return {};
    }
    return run(store, db::Db::counters, plan.pipeline, [&](std::size_t command, redis::View reply) {
        const auto step = plan.steps[command];
        if (step.of_port) {
            take_port(step.index, static_cast<PortRead>(step.read), reply);
        } else {
            take_queue(step.index, static_cast<QueueRead>(step.read), reply);
        }
    });
}

// If the key holds something else, its fields are not known.
void Reader::take_port(std::uint32_t port, PortRead read, redis::View reply)
{
    const auto& fields = port_reads_[static_cast<std::size_t>(read)];
    const auto& place = layout_.ports[port];
    const Values values{reply, place.count * fields.size()};
    for (std::uint32_t i = 0; i != place.count; ++i) {
        auto& sample = readings_[place.first + i].sample;
        for (std::size_t f = 0; f != fields.size(); ++f) {
            sample.known &= ~bit(fields[f].field);
            if (values.readable()) {
                take(sample, fields[f].field, values[i * fields.size() + f]);
            }
        }
    }
}

void Reader::take_queue(std::uint32_t queue, QueueRead read, redis::View reply)
{
    const auto& fields = queue_reads_[static_cast<std::size_t>(read)];
    auto& reading = readings_[queue];
    const Values values{reply, fields.size()};
    if (!values.readable()) {
        reading.status = Status::unwatched;
        return;
    }
    for (std::size_t f = 0; f != fields.size(); ++f) {
        fields[f]->take(*this, reading, values[f]);
    }
}

void Reader::take(watchdog::Sample& sample, Field field, redis::View view)
{
    if (view.nothing()) {
        return;
    }
    if (const auto value = number(view.text())) {
        sample.known |= bit(field);
        sample[field] = *value;
    } else {
        note_invalid(field, view.text());
    }
}

// Reports each field once: if one value is no number, thousands may be none.
void Reader::note_invalid(Field field, std::string_view value)
{
    if (!has(nonsense_, field)) {
        nonsense_ |= bit(field);
        note_(fmt::format("{} is '{}', which is no number: such counters count as unknown", name(field),
                          escaped(value.substr(0, 40))));
    }
}

}  // namespace petrel::device::sonic

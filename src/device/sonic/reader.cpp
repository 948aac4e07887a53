#include "device/sonic/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <ranges>
#include <utility>

#include "base/complaint_text.hpp"

namespace petrel::device::sonic {

namespace {

using watchdog::bit;
using watchdog::Field;
using watchdog::Fields;

// Of a queue with every poll. RX_PAUSE_DURATION of a port is in a unit of the vendor's: it is not read.
constexpr std::array kOfQueue{Field::tx_packets, Field::tx_drops, Field::occupancy};
constexpr std::array<std::string_view, 5> kQueueWords{"SAI_QUEUE_STAT_PACKETS", "SAI_QUEUE_STAT_DROPPED_PACKETS",
                                                      "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
                                                      "SAI_QUEUE_ATTR_PAUSE_STATUS", "PFC_WD_STATUS"};
constexpr std::size_t kPauseStatus = 3;
constexpr std::size_t kStatus = 4;

// Now and then, and when it is treated otherwise than before.
constexpr std::array<std::string_view, 5> kTreatmentWords{"PFC_WD_ACTION", "BIG_RED_SWITCH_MODE", "DEBUG_STORM",
                                                          "PFC_STAT_HISTORY", "PFC_WD_DETECTION_TIME"};
constexpr Duration kTreatmentsHold = std::chrono::seconds{1};

// Of a port, for each of its queues: the time first, then what is about frames.
struct PortField {
    Field field{};
    std::string_view word;
};
constexpr std::array<PortField, 3> kOfPort{
    {{Field::pause_us, "RX_PAUSE_DURATION_US"}, {Field::rx_pfc, "RX_PKTS"}, {Field::on2off, "ON2OFF_RX_PKTS"}}};
constexpr std::array<std::span<const PortField>, 3> kPortReads{std::span{kOfPort}.first(1), kOfPort,
                                                               std::span{kOfPort}.last(2)};
constexpr Fields kFramesRead = bit(Field::rx_pfc) | bit(Field::on2off);

std::optional<std::uint64_t> number(std::string_view text)
{
    std::uint64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto [at, problem] = std::from_chars(text.data(), end, value);
    return problem == std::errc{} && at == end ? std::optional{value} : std::nullopt;
}

}  // namespace

Status status_of(std::string_view pfc_wd_status)
{
    return pfc_wd_status == "stormed"       ? Status::stormed
           : pfc_wd_status == "operational" ? Status::operational
                                            : Status::unwatched;
}

Reader::Reader(Layout layout, Note note) : layout_(std::move(layout)), note_(std::move(note))
{
    for (std::uint16_t port = 0; port != layout_.ports.size(); ++port) {
        for (const auto kind : {Kind::pause_time, Kind::pause_and_frames, Kind::frames}) {
            add_port(port_commands_, kind, port);
        }
        for (std::uint32_t i = 0; i != layout_.ports[port].count; ++i) {
            add_queue(queues_, Kind::queue, layout_.ports[port].first + i);
            add_queue(treatments_, Kind::treatment, layout_.ports[port].first + i);
        }
    }
    readings_.resize(layout_.queues.size());
    choose(std::vector<bool>(layout_.ports.size(), true));
}

void Reader::Plan::add(const Plan& other, std::size_t step)
{
    pipeline.add(other.pipeline, step);
    steps.push_back(other.steps[step]);
}

std::size_t Reader::command_of(std::uint16_t port, Kind kind)
{
    return port * kPortReads.size() + static_cast<std::size_t>(kind);
}

void Reader::add_port(Plan& plan, Kind kind, std::uint16_t port) const
{
    const auto& place = layout_.ports[port];
    std::vector<std::string> words{"HMGET", "COUNTERS:" + place.oid};
    for (std::uint32_t i = 0; i != place.count; ++i) {
        for (const auto& [field, word] : kPortReads[static_cast<std::size_t>(kind)]) {
            words.push_back(
                fmt::format("SAI_PORT_STAT_PFC_{}_{}", layout_.queues[place.first + i].priority.value, word));
        }
    }
    const std::vector<std::string_view> views{words.begin(), words.end()};
    plan.pipeline.add(views);
    plan.steps.push_back({kind, port});
}

// What a poll reads of ports. It is made anew only where the choice is another one: on a calm switch it never is.
void Reader::choose(std::vector<bool> with_frames)
{
    if (with_frames == with_frames_) {
        return;
    }
    with_frames_ = std::move(with_frames);
    ports_ = {};
    for (std::uint16_t port = 0; port != layout_.ports.size(); ++port) {
        if (!layout_.ports[port].oid.empty()) {
            ports_.add(port_commands_,
                       command_of(port, with_frames_[port] ? Kind::pause_and_frames : Kind::pause_time));
        }
    }
}

void Reader::add_queue(Plan& plan, Kind kind, std::uint32_t queue) const
{
    const auto key = "COUNTERS:" + layout_.queues[queue].oid;
    std::vector<std::string_view> words{"HMGET", key};
    if (kind == Kind::treatment) {
        words.insert(words.end(), kTreatmentWords.begin(), kTreatmentWords.end());
    } else {
        words.insert(words.end(), kQueueWords.begin(), kQueueWords.end());
    }
    plan.pipeline.add(words);
    plan.steps.push_back({kind, queue});
}

Result<void> Reader::read(db::RedisStore& store, std::span<const Slot> rows, Instant now)
{
    if (!rows.empty()) {
        return read_some(store, rows);
    }
    std::vector<Before> before;
    before.reserve(readings_.size());
    for (auto& reading : readings_) {
        before.push_back({std::exchange(reading.status, Status::unwatched), reading.sample[Field::pause_us]});
        reading.sample.known &= kFramesRead;
    }
    for (const auto* plan : {&ports_, &queues_}) {
        if (auto read = carry_out(store, *plan); !read) {
            return read;
        }
    }
    if (auto read = read_frames(store, before); !read) {
        return read;
    }
    if (now < treatments_due_ && std::ranges::equal(readings_, before, {}, &Reading::status, &Before::status)) {
        return {};
    }
    treatments_due_ = now + kTreatmentsHold;
    return carry_out(store, treatments_);
}

Result<void> Reader::read_frames(db::RedisStore& store, std::span<const Before> before)
{
    const auto wanted = [&](std::uint32_t row) {
        const auto& sample = readings_[row].sample;
        const bool told = (sample.known & (bit(Field::paused_now) | bit(Field::pause_us))) != 0;
        return !told || sample.paused_now || readings_[row].status == Status::stormed ||
               sample[Field::pause_us] != before[row].pause_us;
    };
    Plan plan;
    std::vector<bool> with_frames(layout_.ports.size());
    for (std::uint16_t port = 0; port != layout_.ports.size(); ++port) {
        const auto rows = std::views::iota(layout_.ports[port].first) | std::views::take(layout_.ports[port].count);
        with_frames[port] = std::ranges::any_of(rows, wanted);
        if (with_frames[port] && !with_frames_[port] && !layout_.ports[port].oid.empty()) {
            plan.add(port_commands_, command_of(port, Kind::frames));
        }
    }
    return carry_out(store, plan).map([&] { choose(std::move(with_frames)); });
}

Result<void> Reader::read_some(db::RedisStore& store, std::span<const Slot> rows)
{
    Plan plan;
    std::optional<std::uint16_t> port;
    for (const auto row : rows) {
        readings_[row.value] = {};
        if (port != layout_.queues[row.value].port) {
            port = layout_.queues[row.value].port;
            if (!layout_.ports[*port].oid.empty()) {
                plan.add(port_commands_, command_of(*port, Kind::pause_and_frames));
            }
        }
        plan.add(queues_, row.value);
        plan.add(treatments_, row.value);
    }
    return carry_out(store, plan);
}

Result<void> Reader::carry_out(db::RedisStore& store, const Plan& plan)
{
    return ask(store, db::Db::counters, plan.pipeline, [&](std::size_t command, redis::View reply) {
        const auto step = plan.steps[command];
        switch (step.of) {
        case Kind::pause_time:
        case Kind::pause_and_frames:
        case Kind::frames: return take_port(step.index, step.of, reply);
        case Kind::queue: return take_queue(step.index, reply);
        case Kind::treatment: return take_treatment(step.index, reply);
        }
    });
}

// A reply of another shape says that the key holds something else: then nothing is known of it.
void Reader::take_port(std::uint32_t port, Kind kind, redis::View reply)
{
    const auto fields = kPortReads[static_cast<std::size_t>(kind)];
    const auto& place = layout_.ports[port];
    const bool readable = reply.size() == place.count * fields.size();
    for (std::uint32_t i = 0; i != place.count; ++i) {
        auto& sample = readings_[place.first + i].sample;
        for (std::size_t f = 0; f != fields.size(); ++f) {
            sample.known &= ~bit(fields[f].field);
            if (readable) {
                take(sample, fields[f].field, reply[i * fields.size() + f]);
            }
        }
    }
}

void Reader::take_queue(std::uint32_t queue, redis::View reply)
{
    if (reply.size() != kQueueWords.size()) {
        return;
    }
    auto& reading = readings_[queue];
    for (std::size_t f = 0; f != kOfQueue.size(); ++f) {
        take(reading.sample, kOfQueue[f], reply[f]);
    }
    const auto paused = reply[kPauseStatus].text();
    if (paused == "true" || paused == "false") {
        reading.sample.known |= bit(Field::paused_now);
        reading.sample.paused_now = paused == "true";
    }
    reading.status = status_of(reply[kStatus].text());
}

void Reader::take_treatment(std::uint32_t queue, redis::View reply)
{
    auto& reading = readings_[queue];
    if (reply.size() == kTreatmentWords.size()) {
        reading.alert = reply[0].text() == "alert";
        reading.red_switch = reply[1].text() == "enable";
        reading.debug_storm = reply[2].text() == "enabled";
        reading.history = reply[3].text() == "enable";
        reading.registered = !reply[4].nothing();
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
        note_nonsense(field, view.text());
    }
}

// Once for each kind of counter: where one is nonsense, thousands may be.
void Reader::note_nonsense(Field field, std::string_view value)
{
    if (!has(nonsense_, field)) {
        nonsense_ |= bit(field);
        note_(fmt::format("{} is '{}', which is no number: such counters are taken as not known", name(field),
                          escaped(value.substr(0, 40))));
    }
}

}  // namespace petrel::device::sonic

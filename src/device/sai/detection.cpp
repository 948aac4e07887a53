#include "device/sai/detection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace petrel::device::sai {

namespace {

// One of the two timers of a queue.
struct Timer {
    std::string_view key;
    std::string_view words;
    Interval Detector::* interval;
    abi::AttrId of_port;
    abi::AttrId of_port_range;
    abi::AttrId of_switch;
    abi::AttrId of_switch_range;
};

constexpr std::array kTimers{Timer{"petrel.detect_ms", "detection", &Detector::detect,
                                   abi::port_attr::pfc_tc_dld_interval, abi::port_attr::pfc_tc_dld_interval_range,
                                   abi::switch_attr::pfc_tc_dld_interval, abi::switch_attr::pfc_tc_dld_interval_range},
                             Timer{"petrel.recover_ms", "recovery", &Detector::recover,
                                   abi::port_attr::pfc_tc_dlr_interval, abi::port_attr::pfc_tc_dlr_interval_range,
                                   abi::switch_attr::pfc_tc_dlr_interval, abi::switch_attr::pfc_tc_dlr_interval_range}};

constexpr std::uint32_t kLongestMs = 3'600'000;

Result<std::uint32_t> milliseconds(std::string_view key, std::string_view text)
{
    std::uint32_t ms = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), ms);
    if (problem != std::errc{} || end != text.data() + text.size() || ms == 0 || ms > kLongestMs) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("profile: {} is '{}': milliseconds, 1..{}", key, text, kLongestMs)});
    }
    return ms;
}

// The closest word that the profile has on this queue; zero: none.
Result<std::uint32_t> configured(const Profile& profile, std::string_view key, const std::string& port,
                                 Priority priority)
{
    for (const auto& name :
         {fmt::format("{}.{}:{}", key, port, priority.value), fmt::format("{}.{}", key, port), std::string{key}}) {
        if (const auto at = profile.find(name); at != profile.end()) {
            return milliseconds(name, at->second);
        }
    }
    return 0U;
}

class Programmer {
public:
    Programmer(const Library& library, abi::ObjectId switch_id, Notes& notes)
        : library_(library), switch_id_(switch_id), notes_(notes)
    {}

    // All detectors of one port. False: ports cannot be programmed one by one.
    bool program(const PortObjects& port, const Timer& timer, std::span<Detector> detectors)
    {
        if (library_.version() < abi::kContinuousState) {
            return false;
        }
        auto range = library_.ports().get(port.port, timer.of_port_range);
        if (!range) {
            range = library_.switches().get(switch_id_, timer.of_switch_range);
        }
        return write(library_.ports(), port.port, timer, timer.of_port, range, port.name, detectors);
    }

    // The switch has one value for each traffic class: of the first queue that has one configured.
    bool program_switch(const Timer& timer, std::span<Detector> detectors)
    {
        const auto range = library_.switches().get(switch_id_, timer.of_switch_range);
        return write(library_.switches(), switch_id_, timer, timer.of_switch, range, "the switch", detectors);
    }

private:
    bool write(const Objects& objects, abi::ObjectId object, const Timer& timer, abi::AttrId id,
               const Result<abi::Value>& range, std::string_view whose, std::span<Detector> detectors)
    {
        if (!range) {
            notes_.add(
                fmt::format("{}; {} intervals are programmed as they are configured", range.error().what, timer.words));
        }
        std::vector<abi::MapEntry> entries;
        for (auto& detector : detectors) {
            auto& interval = detector.*timer.interval;
            const std::uint32_t key = detector.queue->traffic_class;
            const auto same = [&](const abi::MapEntry& entry) { return entry.key == key; };
            const auto there = std::find_if(entries.begin(), entries.end(), same);
            if (there == entries.end()) {
                interval.programmed_ms = within(range, interval.configured_ms);
                entries.push_back({key, static_cast<std::int32_t>(interval.programmed_ms)});
            } else {
                interval.programmed_ms = static_cast<std::uint32_t>(there->value);
            }
        }
        abi::Value value{};
        value.maplist = {static_cast<std::uint32_t>(entries.size()), entries.data()};
        if (const auto set = objects.set(object, id, value); !set) {
            notes_.add(fmt::format("{}: {}", whose, set.error().what));
            return false;
        }
        observe(objects, object, timer, id, detectors);
        return true;
    }

    static std::uint32_t within(const Result<abi::Value>& range, std::uint32_t ms)
    {
        const bool sound = range && range->u32range.min <= range->u32range.max && range->u32range.max != 0;
        return sound ? std::clamp(ms, range->u32range.min, range->u32range.max) : ms;
    }

    void observe(const Objects& objects, abi::ObjectId object, const Timer& timer, abi::AttrId id,
                 std::span<Detector> detectors)
    {
        const auto shown = objects.list(object, id, &abi::Value::maplist);
        if (!shown) {
            notes_.add(fmt::format("{}; what was programmed cannot be checked", shown.error().what));
            return;
        }
        for (auto& detector : detectors) {
            for (const auto& entry : *shown) {
                if (entry.key == detector.queue->traffic_class && entry.value >= 0) {
                    (detector.*timer.interval).observed_ms = static_cast<std::uint32_t>(entry.value);
                }
            }
        }
    }

    const Library& library_;
    abi::ObjectId switch_id_;
    Notes& notes_;
};

void note_difference(const std::string& port, const Detector& detector, const Timer& timer, Notes& notes)
{
    const auto& interval = detector.*timer.interval;
    if (interval.configured_ms != interval.programmed_ms || interval.observed_ms != interval.programmed_ms) {
        notes.add(fmt::format("{}:{}: {} interval configured {} ms, programmed {} ms, observed {}", port,
                              detector.queue->priority.value, timer.words, interval.configured_ms,
                              interval.programmed_ms,
                              interval.observed_ms ? fmt::format("{} ms", *interval.observed_ms) : "nothing"));
    }
}

bool enable(const Library& library, abi::ObjectId queue, bool on)
{
    abi::Value value{};
    value.booldata = on;
    if (!library.queues().set(queue, abi::queue_attr::enable_pfc_dldr, value)) {
        return false;
    }
    const auto shown = library.queues().get(queue, abi::queue_attr::enable_pfc_dldr);
    return !shown || shown->booldata == on;
}

}  // namespace

Result<Detection> Detection::program(const Library& library, abi::ObjectId switch_id,
                                     std::span<const PortObjects> ports, const Profile& profile, Notes& notes)
{
    Detection all;
    for (std::size_t p = 0; p != ports.size(); ++p) {
        for (const auto& queue : ports[p].queues) {
            Detector detector{p, &queue, {}, {}, false};
            for (const auto& timer : kTimers) {
                const auto ms = configured(profile, timer.key, ports[p].name, queue.priority);
                if (!ms) {
                    return tl::unexpected(ms.error());
                }
                (detector.*timer.interval).configured_ms = *ms;
            }
            if (detector.detect.configured_ms != 0 && detector.recover.configured_ms != 0) {
                all.detectors_.push_back(detector);
            } else if (detector.detect.configured_ms != detector.recover.configured_ms) {
                return tl::unexpected(
                    Error{ErrorKind::invalid, fmt::format("profile: {}:{} has one of petrel.detect_ms and "
                                                          "petrel.recover_ms: it needs both",
                                                          ports[p].name, queue.priority.value)});
            }
        }
    }
    Programmer programmer{library, switch_id, notes};
    bool programmed = true;
    for (const auto& timer : kTimers) {
        bool each = true;
        for (auto first = all.detectors_.begin(); each && first != all.detectors_.end();) {
            const auto last = std::find_if(first, all.detectors_.end(),
                                           [&](const Detector& detector) { return detector.port != first->port; });
            each = programmer.program(ports[first->port], timer, {first, last});
            first = last;
        }
        if (!each) {
            notes.add(fmt::format("{} intervals cannot be programmed port by port; the switch's own is used for all",
                                  timer.words));
            programmed = programmer.program_switch(timer, all.detectors_) && programmed;
        }
        for (const auto& detector : all.detectors_) {
            note_difference(ports[detector.port].name, detector, timer, notes);
        }
    }
    for (auto& detector : all.detectors_) {
        detector.on = programmed && enable(library, detector.queue->queue, true);
        all.works_ = all.works_ || detector.on;
    }
    if (!all.detectors_.empty() && !all.works_) {
        notes.add("the library cannot find storms itself: ENABLE_PFC_DLDR or its intervals are not taken");
    }
    return all;
}

void Detection::switch_off(const Library& library)
{
    for (auto& detector : detectors_) {
        detector.on = detector.on && !enable(library, detector.queue->queue, false);
    }
}

}  // namespace petrel::device::sai

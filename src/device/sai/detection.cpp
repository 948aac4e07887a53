#include "device/sai/detection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace petrel::device::sai {

namespace {

// One of the two timers of a queue: detection or recovery.
struct Timer {
    std::string_view name;
    Interval Detector::* interval;
    abi::AttrId of_port;
    abi::AttrId of_port_range;
    abi::AttrId of_switch;
    abi::AttrId of_switch_range;
};

constexpr std::array kTimers{Timer{"detection", &Detector::detect, abi::port_attr::pfc_tc_dld_interval,
                                   abi::port_attr::pfc_tc_dld_interval_range, abi::switch_attr::pfc_tc_dld_interval,
                                   abi::switch_attr::pfc_tc_dld_interval_range},
                             Timer{"recovery", &Detector::recover, abi::port_attr::pfc_tc_dlr_interval,
                                   abi::port_attr::pfc_tc_dlr_interval_range, abi::switch_attr::pfc_tc_dlr_interval,
                                   abi::switch_attr::pfc_tc_dlr_interval_range}};

// Programs one timer for all detectors.
class Programmer {
public:
    Programmer(const Library& library, abi::ObjectId switch_id, std::span<const PortObjects> ports, const Timer& timer,
               Notes& notes)
        : library_(library), switch_id_(switch_id), ports_(ports), timer_(timer), notes_(notes)
    {}

    // Programs the timer port by port. From the first port on that does not support it, uses the switch's timer
    // instead. Detectors whose timer cannot be set are switched off.
    void program(std::span<Detector> detectors)
    {
        while (!detectors.empty()) {
            const auto last = std::ranges::find_if(
                detectors, [&](const Detector& detector) { return detector.port != detectors.front().port; });
            const auto of_port = detectors.first(static_cast<std::size_t>(last - detectors.begin()));
            auto set = program_port(ports_[detectors.front().port], of_port);
            if (!set && set.error().kind == ErrorKind::unsupported) {
                notes_.add(fmt::format("{}; {} intervals are the switch's, one for each traffic class",
                                       set.error().what, timer_.name));
                set = program_switch(detectors);
                return set ? judge_differences(detectors) : give_up(detectors, set.error());
            }
            set ? judge_differences(of_port) : give_up(of_port, set.error());
            detectors = detectors.subspan(of_port.size());
        }
    }

private:
    Result<void> program_port(const PortObjects& port, std::span<Detector> detectors)
    {
        if (library_.version() < abi::kContinuousState) {
            return tl::unexpected(Error{ErrorKind::unsupported, "ports have no intervals before 1.10"});
        }
        auto range = library_.ports().get(port.port, timer_.of_port_range);
        if (!range) {
            range = library_.switches().get(switch_id_, timer_.of_switch_range);
        }
        return write(library_.ports(), port.port, timer_.of_port, range, detectors);
    }

    // The switch has one value for each traffic class: the value of the first detector of that class is used.
    Result<void> program_switch(std::span<Detector> detectors)
    {
        const auto range = library_.switches().get(switch_id_, timer_.of_switch_range);
        return write(library_.switches(), switch_id_, timer_.of_switch, range, detectors);
    }

    Result<void> write(const Objects& objects, abi::ObjectId object, abi::AttrId id, const Result<abi::Value>& range,
                       std::span<Detector> detectors)
    {
        if (!range) {
            notes_.add(
                fmt::format("{}; {} intervals are programmed as they are configured", range.error().what, timer_.name));
        }
        std::vector<abi::MapEntry> entries;
        for (auto& detector : detectors) {
            const auto wanted = (detector.*timer_.interval).configured_ms;
            const auto ms = within(range, wanted);
            if (ms != wanted && !detector.request.clip) {
                (detector.*timer_.interval).observed_ms = ms;  // the nearest that the library has
                poll_instead(detector, fmt::format("a {} interval of {} ms is outside the library's range {}..{} ms",
                                                   timer_.name, wanted, range->u32range.min, range->u32range.max));
            } else if (detector.on && find(entries, detector) == entries.end()) {
                entries.push_back({detector.queue->traffic_class, static_cast<std::int32_t>(ms)});
            }
        }
        if (entries.empty()) {
            return {};
        }
        abi::Value value{};
        value.maplist = {static_cast<std::uint32_t>(entries.size()), entries.data()};
        return objects.set(object, id, value).map([&] {
            for (auto& detector : detectors) {
                if (detector.on) {
                    const auto ms = find(entries, detector)->value;
                    (detector.*timer_.interval).programmed_ms = static_cast<std::uint32_t>(ms);
                }
            }
            observe(objects, object, id, detectors);
        });
    }

    static std::vector<abi::MapEntry>::const_iterator find(const std::vector<abi::MapEntry>& entries,
                                                           const Detector& detector)
    {
        return std::ranges::find(entries, std::uint32_t{detector.queue->traffic_class}, &abi::MapEntry::key);
    }

    static std::uint32_t within(const Result<abi::Value>& range, std::uint32_t ms)
    {
        const bool sound = range && range->u32range.min <= range->u32range.max && range->u32range.max != 0;
        return sound ? std::clamp(ms, range->u32range.min, range->u32range.max) : ms;
    }

    void observe(const Objects& objects, abi::ObjectId object, abi::AttrId id, std::span<Detector> detectors)
    {
        const auto shown = objects.list(object, id, &abi::Value::maplist);
        if (!shown) {
            notes_.add(fmt::format("{}; what was programmed cannot be checked", shown.error().what));
            return;
        }
        for (auto& detector : detectors) {
            const auto entry = find(*shown, detector);
            if (detector.on && entry != shown->end() && entry->value >= 0) {
                (detector.*timer_.interval).observed_ms = static_cast<std::uint32_t>(entry->value);
            }
        }
    }

    void judge_differences(std::span<Detector> detectors)
    {
        for (auto& detector : detectors) {
            const auto interval = detector.*timer_.interval;
            if (!detector.on ||
                (interval.configured_ms == interval.programmed_ms && interval.observed_ms == interval.programmed_ms)) {
                continue;
            }
            const auto difference =
                fmt::format("a {} interval is configured as {} ms, programmed as {} ms, observed as {}", timer_.name,
                            interval.configured_ms, *interval.programmed_ms,
                            interval.observed_ms ? fmt::format("{} ms", *interval.observed_ms) : "nothing");
            const auto wanted = detector.request.clip ? *interval.programmed_ms : interval.configured_ms;
            const auto shown = interval.observed_ms.value_or(*interval.programmed_ms);
            if (detector.request.tolerates(std::chrono::milliseconds{wanted}, std::chrono::milliseconds{shown})) {
                notes_.add(difference);
            } else {
                poll_instead(detector,
                             fmt::format("{}: more than {} % off", difference, detector.request.interval_tolerance));
            }
        }
    }

    void poll_instead(Detector& detector, const std::string& why)
    {
        detector.on = false;
        detector.detect.programmed_ms.reset();
        detector.recover.programmed_ms.reset();
        notes_.add(fmt::format("{}; the agent polls these queues instead", why));
    }

    void give_up(std::span<Detector> detectors, const Error& why)
    {
        for (auto& detector : detectors) {
            detector.on = false;
            notes_.add(
                fmt::format("{}: {}; the library does not detect storms there", ports_[detector.port].name, why.what));
        }
    }

    const Library& library_;
    abi::ObjectId switch_id_;
    std::span<const PortObjects> ports_;
    const Timer& timer_;
    Notes& notes_;
};

}  // namespace

Detection::Detection(const Library& library, abi::ObjectId switch_id, std::span<const PortObjects> ports, Notes& notes)
    : library_(library), switch_id_(switch_id), ports_(ports), notes_(notes)
{
    const auto port = std::ranges::find_if(ports_, [](const PortObjects& each) { return !each.queues.empty(); });
    possible_ = port != ports_.end() && takes_enabling(port->queues.front()) && takes_intervals(*port);
}

// If a get fails, the library may have no value until one is set: set the default (off) and read again.
bool Detection::takes_enabling(const QueueObjects& queue) const
{
    const auto& queues = library_.queues();
    return queues.get(queue.queue, abi::queue_attr::enable_pfc_dldr) ||
           (queues.set(queue.queue, abi::queue_attr::enable_pfc_dldr, boolean(false)) &&
            queues.get(queue.queue, abi::queue_attr::enable_pfc_dldr));
}

bool Detection::takes_intervals(const PortObjects& port) const
{
    const auto taken = [](const Objects& objects, abi::ObjectId object, abi::AttrId id) {
        return objects.list(object, id, &abi::Value::maplist) || objects.set(object, id, abi::Value{});
    };
    return std::ranges::all_of(kTimers, [&](const Timer& timer) {
        return (library_.version() >= abi::kContinuousState && taken(library_.ports(), port.port, timer.of_port)) ||
               taken(library_.switches(), switch_id_, timer.of_switch);
    });
}

bool Detection::switches(const QueueObjects& queue, bool on) const
{
    const auto& queues = library_.queues();
    const auto before = queues.get(queue.queue, abi::queue_attr::enable_pfc_dldr);
    const bool never_set = !before && before.error().kind == ErrorKind::unsupported;
    if (before ? before->booldata == on : never_set && !on) {
        return true;
    }
    if (!queues.set(queue.queue, abi::queue_attr::enable_pfc_dldr, boolean(on))) {
        return false;
    }
    const auto after = queues.get(queue.queue, abi::queue_attr::enable_pfc_dldr);
    return after ? after->booldata == on : !on;
}

std::vector<Detector> Detection::program(std::vector<Detector> wanted)
{
    for (auto& detector : wanted) {
        detector.on = true;
    }
    for (const auto& timer : kTimers) {
        Programmer{library_, switch_id_, ports_, timer, notes_}.program(wanted);
    }
    std::set<abi::ObjectId> on;
    for (auto& detector : wanted) {
        const auto row = fmt::format("{}:{}", ports_[detector.port].name, detector.queue->priority.value);
        if (detector.on && !switches(*detector.queue, true)) {
            detector.on = false;
            notes_.add(row + ": ENABLE_PFC_DLDR is not accepted; the library does not detect storms there");
        }
        if (detector.on) {
            on.insert(detector.queue->queue);
        }
    }
    for (const auto& port : ports_) {
        for (const auto& queue : port.queues) {
            if (!on.contains(queue.queue) && !switches(queue, false)) {
                notes_.add(fmt::format("{}:{}: the library still detects storms itself, although this is turned off",
                                       port.name, queue.priority.value));
            }
        }
    }
    return wanted;
}

}  // namespace petrel::device::sai

#include "watchdog/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/assert.hpp"

namespace petrel::watchdog {

namespace {

using std::chrono::milliseconds;

constexpr Treatments kQueueActions = bit(Treatment::none) | bit(Treatment::ignore_pause) | bit(Treatment::drop);

Policy timed(std::string_view name, Criterion criterion, Treatment action, int detect_ms, int restore_ms, int poll_ms)
{
    Policy p;
    p.name = name;
    p.criterion = criterion;
    p.action = action;
    p.detect = milliseconds{detect_ms};
    p.restore = milliseconds{restore_ms};
    p.poll = milliseconds{poll_ms};
    p.leak = 1;
    return p;
}

std::vector<Preset> make_presets()
{
    // Pause time that lacks 1 % of the interval still counts as paused throughout. Without this slack, one read in
    // three was a whole poll late in the field.
    constexpr std::uint32_t kPauseSlack = 10'000;
    // Less than 0.1 % of the line rate is no progress. One stray packet per poll stays below that; a 64:1 incast (1.6
    // %) is above it.
    constexpr std::uint32_t kFloor = 1'000;

    Policy sonic = timed("sonic", Criterion::continuous, Treatment::drop, 400, 2000, 100);
    sonic.slack_ppm = kPauseSlack;
    sonic.priorities = 0b0001'1000;

    Policy sai = timed("sai", Criterion::continuous, Treatment::drop, 200, 200, 50);
    sai.slack_ppm = kPauseSlack;

    Policy rdma_switch = timed("rdma-switch", Criterion::stalled, Treatment::lossless_off, 200, 200, 50);
    rdma_switch.slack_ppm = kPauseSlack;
    rdma_switch.floor_ppm = kFloor;
    rdma_switch.needs_backlog = true;
    rdma_switch.host_facing_only = true;

    Policy rdma_nic = timed("rdma-nic", Criterion::receive_stall, Treatment::mute_pause, 100, 0, 10);
    rdma_nic.release = Release::manual;
    rdma_nic.latch_count = 1;
    rdma_nic.slack_ppm = 100'000;

    Policy too_long = timed("pause-too-long", Criterion::pause_timeout, Treatment::squeeze, 0, 0, 10);

    Policy progress = timed("progress", Criterion::progress, Treatment::drop, 400, 2000, 100);
    progress.floor_ppm = kFloor;
    progress.needs_backlog = true;

    return {
        {sonic,
         {100, 5000},
         {100, 60000},
         {100, 1000},
         kQueueActions,
         "a queue paused without a break (SONiC's pfcwd)"},
        {sai,
         {1, 60000},
         {1, 60000},
         {1, 1000},
         kQueueActions,
         "SAI's deadlock detection and recovery machine, per queue",
         true},
        {rdma_switch,
         {10, 5000},
         {10, 60000},
         {1, 1000},
         bit(Treatment::none) | bit(Treatment::lossless_off) | bit(Treatment::drop),
         "server-facing ports: a backlog that cannot drain under continuous pause"},
        {rdma_nic,
         {80, 8000},
         {0, 60000},
         {1, 1000},
         bit(Treatment::none) | bit(Treatment::mute_pause) | bit(Treatment::port_down),
         "a NIC that pauses its switch and receives nothing; latched until repaired"},
        {too_long,
         {0, 60000},
         {0, 60000},
         {1, 1000},
         bit(Treatment::none) | bit(Treatment::squeeze),
         "the port's own pause-timeout status (Slingshot's pause too long)"},
        {progress,
         {100, 5000},
         {100, 60000},
         {1, 1000},
         kQueueActions,
         "leaky integrator: mostly paused, next to nothing sent; catches storms that dodge the others"},
    };
}

std::optional<std::int64_t> whole_number(std::string_view text)
{
    std::int64_t number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

using Refusal = std::optional<std::string>;  // the allowed values; none = the value was set

template <class Store>
Refusal in_bounds(std::string_view text, Bounds bounds, Store store)
{
    const auto number = whole_number(text);
    if (!number || *number < bounds.least || *number > bounds.most) {
        return fmt::format("a whole number {}..{}", bounds.least, bounds.most);
    }
    store(*number);
    return std::nullopt;
}

Refusal set_ms(Duration& into, std::string_view text, Bounds bounds)
{
    return in_bounds(text, bounds, [&](std::int64_t ms) { into = milliseconds{ms}; });
}

Refusal set_count(std::uint32_t& into, std::string_view text, Bounds bounds)
{
    return in_bounds(text, bounds, [&](std::int64_t n) { into = static_cast<std::uint32_t>(n); });
}

Refusal set_flag(bool& into, std::string_view text)
{
    if (text != "true" && text != "false") {
        return "true or false";
    }
    into = text == "true";
    return std::nullopt;
}

Refusal set_action(Policy& policy, const Preset& preset, std::string_view text)
{
    std::string allowed;
    for (unsigned i = 0; i < static_cast<unsigned>(Treatment::count_); ++i) {
        const auto treatment = static_cast<Treatment>(i);
        if (!has(preset.actions, treatment)) {
            continue;
        }
        if (text == action_name(treatment)) {
            policy.action = treatment;
            return std::nullopt;
        }
        allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", action_name(treatment));
    }
    return allowed;
}

Refusal set_release(Policy& policy, std::string_view text)
{
    for (const auto way : {Release::quiet, Release::forced, Release::manual}) {
        if (text == name(way)) {
            policy.release = way;
            return std::nullopt;
        }
    }
    return "auto, forced or manual";
}

Refusal set_priorities(Policy& policy, std::string_view text)
{
    if (text == "all") {
        policy.priorities = 0xff;
        return std::nullopt;
    }
    std::uint8_t mask = 0;
    while (true) {
        const auto comma = text.find(',');
        const auto number = whole_number(text.substr(0, comma));
        if (!number || *number < 0 || *number >= kPriorities) {
            return "all, or priorities 0..7 separated by commas";
        }
        mask = static_cast<std::uint8_t>(mask | (1U << *number));
        if (comma == std::string_view::npos) {
            break;
        }
        text.remove_prefix(comma + 1);
    }
    policy.priorities = mask;
    return std::nullopt;
}

Refusal set_detector(Policy& policy, const Preset& preset, std::string_view text)
{
    if (text == "petrel" || (text == "device" && preset.in_hardware)) {
        policy.criterion = text == "device" ? Criterion::device : preset.policy.criterion;
        return std::nullopt;
    }
    return preset.in_hardware ? "petrel or device" : "petrel";
}

std::string priorities_text(const Policy& policy)
{
    if (policy.priorities == 0xff) {
        return "all";
    }
    std::string text;
    for (unsigned p = 0; p < kPriorities; ++p) {
        if ((policy.priorities >> p & 1U) != 0) {
            text += fmt::format("{}{}", text.empty() ? "" : ",", p);
        }
    }
    return text;
}

constexpr Bounds kBackoffMs{0, 600'000};
constexpr Bounds kLatchWindowMs{0, 3'600'000};
constexpr Bounds kLatchCount{0, 32};
constexpr Bounds kShare{0, 100'000};
constexpr Bounds kLeak{1, 4};
constexpr Bounds kPercent{0, 100};

struct Row {
    Parameter parameter;
    Refusal (*set)(Policy&, const Preset&, std::string_view);
    std::string (*text)(const Policy&);
};

std::string number_text(std::int64_t n) { return fmt::format("{}", n); }
std::string flag_text(bool on) { return on ? "true" : "false"; }

using Text = std::string_view;

const std::array kRows{
    Row{{"detect_ms", "T0: how long a storm must last to be detected"},
        [](Policy& p, const Preset& s, Text t) { return set_ms(p.detect, t, s.detect_ms); },
        [](const Policy& p) { return number_text(whole_ms(p.detect)); }},
    Row{{"restore_ms", "T1: how long the queue must be quiet (with release = forced: how long the mitigation lasts)"},
        [](Policy& p, const Preset& s, Text t) { return set_ms(p.restore, t, s.restore_ms); },
        [](const Policy& p) { return number_text(whole_ms(p.restore)); }},
    Row{{"poll_ms", "T2: time from one poll of all queues to the next"},
        [](Policy& p, const Preset& s, Text t) { return set_ms(p.poll, t, s.poll_ms); },
        [](const Policy& p) { return number_text(whole_ms(p.poll)); }},
    Row{{"action", "the treatment of a queue in a storm"},
        [](Policy& p, const Preset& s, Text t) { return set_action(p, s, t); },
        [](const Policy& p) { return std::string{action_name(p.action)}; }},
    Row{{"release", "what ends a mitigation: auto (quiet), forced (time), manual (an operator)"},
        [](Policy& p, const Preset&, Text t) { return set_release(p, t); },
        [](const Policy& p) { return std::string{name(p.release)}; }},
    Row{{"probe_ms", "after a release a storm is detected after this time; 0 = no half-open probe"},
        [](Policy& p, const Preset& s, Text t) { return set_ms(p.probe, t, {0, s.detect_ms.most}); },
        [](const Policy& p) { return number_text(whole_ms(p.probe)); }},
    Row{{"backoff_max_ms", "T1 doubles up to this while storms come back; 0 = no back-off"},
        [](Policy& p, const Preset&, Text t) { return set_ms(p.backoff_max, t, kBackoffMs); },
        [](const Policy& p) { return number_text(whole_ms(p.backoff_max)); }},
    Row{{"latch_count",
         "after this many storms in latch_window_ms the queue stays mitigated until released; 0 = never"},
        [](Policy& p, const Preset&, Text t) { return set_count(p.latch_count, t, kLatchCount); },
        [](const Policy& p) { return number_text(p.latch_count); }},
    Row{{"latch_window_ms", "the window in which storms are counted for the latch"},
        [](Policy& p, const Preset&, Text t) { return set_ms(p.latch_window, t, kLatchWindowMs); },
        [](const Policy& p) { return number_text(whole_ms(p.latch_window)); }},
    Row{{"latch_across_reboot", "of a NIC: a reboot of its machine does not end the latch; false = it does"},
        [](Policy& p, const Preset&, Text t) { return set_flag(p.latch_across_reboot, t); },
        [](const Policy& p) { return flag_text(p.latch_across_reboot); }},
    Row{{"port_down_if_refused", "of a NIC that refuses to stop its pause: its port goes down; false = it stays up"},
        [](Policy& p, const Preset&, Text t) { return set_flag(p.port_down_if_refused, t); },
        [](const Policy& p) { return flag_text(p.port_down_if_refused); }},
    Row{{"slack_ppm", "share of an interval that may lack pause time and still count as paused throughout"},
        [](Policy& p, const Preset&, Text t) { return set_count(p.slack_ppm, t, kShare); },
        [](const Policy& p) { return number_text(p.slack_ppm); }},
    Row{{"floor_ppm", "share of the line rate below which sending is no progress"},
        [](Policy& p, const Preset&, Text t) { return set_count(p.floor_ppm, t, kShare); },
        [](const Policy& p) { return number_text(p.floor_ppm); }},
    Row{{"leak", "progress: how many times faster the score falls than it rises"},
        [](Policy& p, const Preset&, Text t) { return set_count(p.leak, t, kLeak); },
        [](const Policy& p) { return number_text(p.leak); }},
    Row{{"needs_backlog", "an empty queue is no storm"},
        [](Policy& p, const Preset&, Text t) { return set_flag(p.needs_backlog, t); },
        [](const Policy& p) { return flag_text(p.needs_backlog); }},
    Row{{"host_facing_only", "only ports whose peer is a server"},
        [](Policy& p, const Preset&, Text t) { return set_flag(p.host_facing_only, t); },
        [](const Policy& p) { return flag_text(p.host_facing_only); }},
    Row{{"detected_by", "what detects a storm: petrel, or (sai) the device, which recovers by itself and reports it"},
        [](Policy& p, const Preset& s, Text t) { return set_detector(p, s, t); },
        [](const Policy& p) { return std::string{p.criterion == Criterion::device ? "device" : "petrel"}; }},
    Row{{"clip",
         "detected_by = device: an interval outside the device's range becomes its nearest one; else petrel polls"},
        [](Policy& p, const Preset&, Text t) { return set_flag(p.clip, t); },
        [](const Policy& p) { return flag_text(p.clip); }},
    Row{{"interval_tolerance",
         "detected_by = device: percent by which the device may round an interval; if it rounds more, petrel polls"},
        [](Policy& p, const Preset&, Text t) { return set_count(p.interval_tolerance, t, kPercent); },
        [](const Policy& p) { return number_text(p.interval_tolerance); }},
    Row{{"priorities", "the queues that are watched: all, or a list such as 3,4"},
        [](Policy& p, const Preset&, Text t) { return set_priorities(p, t); },
        priorities_text},
};

constexpr auto kRowCount = kRows.size();

const Row* find_row(std::string_view key)
{
    const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.parameter.key == key; });
    return row == kRows.end() ? nullptr : row;
}

}  // namespace

std::string_view name(Criterion c)
{
    constexpr std::array<std::string_view, 6> kNames{"continuous",    "stalled",       "progress",
                                                     "receive_stall", "pause_timeout", "device"};
    return kNames.at(static_cast<std::size_t>(c));
}

std::string_view name(Release r)
{
    constexpr std::array<std::string_view, 3> kNames{"auto", "forced", "manual"};
    return kNames.at(static_cast<std::size_t>(r));
}

std::string_view action_name(Treatment t)
{
    constexpr std::array<std::string_view, static_cast<std::size_t>(Treatment::count_)> kNames{
        "alert", "forward", "drop-egress", "drop", "lossless-off", "squeeze", "mute", "port-down"};
    return kNames.at(static_cast<std::size_t>(t));
}

std::optional<Treatment> action_from_name(std::string_view wanted)
{
    for (std::size_t i = 0; i != static_cast<std::size_t>(Treatment::count_); ++i) {
        if (action_name(static_cast<Treatment>(i)) == wanted) {
            return static_cast<Treatment>(i);
        }
    }
    return std::nullopt;
}

std::span<const Preset> presets()
{
    static const std::vector<Preset> table = make_presets();
    return table;
}

const Preset* find_preset(std::string_view wanted)
{
    const auto table = presets();
    const auto at = std::find_if(table.begin(), table.end(), [&](const Preset& p) { return p.policy.name == wanted; });
    return at == table.end() ? nullptr : &*at;
}

std::span<const Parameter> parameters()
{
    static const auto table = [] {
        std::array<Parameter, kRowCount> all;
        std::transform(kRows.begin(), kRows.end(), all.begin(), [](const Row& r) { return r.parameter; });
        return all;
    }();
    return table;
}

std::optional<Problem> set_parameter(Policy& policy, const Preset& preset, std::string_view key, std::string_view value)
{
    const Row* row = find_row(key);
    if (row == nullptr) {
        return Problem{std::string{key}, std::string{value}, "a parameter of a policy"};
    }
    if (auto allowed = row->set(policy, preset, value)) {
        return Problem{std::string{key}, std::string{value}, std::move(*allowed)};
    }
    return std::nullopt;
}

std::string parameter_text(const Policy& policy, std::string_view key)
{
    const Row* row = find_row(key);
    PETREL_ASSERT(row != nullptr, "no parameter {}", key);
    return row->text(policy);
}

std::vector<Problem> check(const Policy& policy)
{
    std::vector<Problem> problems;
    const auto not_below_poll = [&](std::string_view key, Duration time) {
        // Zero means "at once": there is nothing to measure.
        if (time != Duration::zero() && time < policy.poll) {
            problems.push_back({std::string{key}, number_text(whole_ms(time)),
                                fmt::format("not below poll_ms = {}", whole_ms(policy.poll))});
        }
    };
    not_below_poll("detect_ms", policy.detect);
    not_below_poll("restore_ms", policy.restore);
    if (policy.latch_count > 1 && policy.latch_window == Duration::zero()) {
        problems.push_back({"latch_window_ms", "0", fmt::format("above 0 with latch_count = {}", policy.latch_count)});
    }
    if (policy.probe > policy.detect) {
        problems.push_back({"probe_ms", number_text(whole_ms(policy.probe)),
                            fmt::format("not above detect_ms = {}", whole_ms(policy.detect))});
    }
    if (policy.backoff_max != Duration::zero() && policy.backoff_max < policy.restore) {
        problems.push_back({"backoff_max_ms", number_text(whole_ms(policy.backoff_max)),
                            fmt::format("0, or not below restore_ms = {}", whole_ms(policy.restore))});
    }
    return problems;
}

}  // namespace petrel::watchdog

#include "watchdog/watchlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "watchdog/unjudged_rows.hpp"

namespace petrel::watchdog {

namespace {

Source pause_source(Criterion criterion, Fields fields)
{
    const bool sends = has(fields, Field::tx_packets) || has(fields, Field::tx_bytes);
    const bool counted = has(fields, Field::pause_us);
    if (criterion == Criterion::progress) {
        const bool state = has(fields, Field::pause_state) || has(fields, Field::paused_now);
        return counted ? Source::duration : (state ? Source::state : Source::none);
    }
    if (has(fields, Field::pause_state)) {
        return Source::state;
    }
    if (counted) {
        return Source::duration;
    }
    const bool frames = has(fields, Field::rx_xoff) && has(fields, Field::rx_xon);
    const bool ends = has(fields, Field::paused_now) && (has(fields, Field::on2off) || frames);
    return ends || (frames && sends) ? Source::state : Source::none;
}

Source send_source(Fields fields)
{
    if (!has(fields, Field::rx_packets)) {
        return Source::none;
    }
    return has(fields, Field::pause_tx_us) ? Source::duration
                                           : (has(fields, Field::pause_tx) ? Source::state : Source::none);
}

std::uint32_t floor_per_64k_us(BitRate speed, const Policy& policy, bool in_bytes)
{
    const std::uint64_t bytes = speed.bps / 8 * 65'536 / 1'000'000 * policy.floor_ppm / 1'000'000;
    // A packet counts as the longest frame. Rounded up: on a slow link the floor is less than a frame, and one stray
    // frame is still no progress.
    const std::uint64_t units = in_bytes ? bytes : (bytes + kLongestFrame - 1) / kLongestFrame;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(units, std::numeric_limits<std::uint32_t>::max()));
}

// One policy on this device.
class Compiler {
public:
    Compiler(const Policy& policy, const Capabilities& can) : policy_(policy), can_(can) {}

    // The fields or features that this policy needs and the device lacks.
    std::optional<std::string> lacks() const
    {
        const auto fields = can_.fields;
        switch (policy_.criterion) {
        case Criterion::continuous:
        case Criterion::stalled:
            if (source() == Source::none) {
                return "pause_state, pause_us, paused_now with on2off, or rx_xoff and rx_xon with tx_packets";
            }
            if (policy_.criterion == Criterion::stalled && policy_.needs_backlog && !has(fields, Field::occupancy)) {
                return "occupancy_bytes: a backlog that cannot drain has to be seen";
            }
            return std::nullopt;
        case Criterion::progress:
            if (source() == Source::none || !sends()) {
                return "pause_us, pause_state or paused_now, and tx_bytes or tx_packets";
            }
            return std::nullopt;
        case Criterion::receive_stall:
            return source() == Source::none ? std::optional{"rx_packets, and pause_tx_us or pause_tx"} : std::nullopt;
        case Criterion::pause_timeout:
            return has(fields, Field::pause_timeout) ? std::nullopt : std::optional{"pause_timeout"};
        case Criterion::device:
            return can_.detects_itself ? std::nullopt : std::optional{"a device that detects storms itself"};
        }
        return std::nullopt;
    }

    Treatment action() const
    {
        auto best = policy_.action;
        const bool by_device = policy_.criterion == Criterion::device && has(can_.treatments, Treatment::drop_egress);
        if (by_device && best == Treatment::drop) {
            best = Treatment::drop_egress;  // a device that recovers by itself does not drop in priority groups
        }
        while (best != Treatment::none && !has(can_.treatments, best)) {
            best = next_rung(policy_, can_.treatments, best);
        }
        return best;
    }

    // Whether a queue under the policy's action still shows that it is quiet.
    bool shows_quiet() const
    {
        const auto by = action() == Treatment::none ? can_.fields : can_.fields & can_.survive;
        switch (policy_.criterion) {
        case Criterion::pause_timeout: return has(by, Field::pause_timeout);
        case Criterion::receive_stall: return (by & (bit(Field::pause_tx) | bit(Field::pause_tx_us))) != 0;
        default: return (by & kPauseSignals) != 0;
        }
    }

    Rule rule(BitRate speed) const
    {
        Rule rule;
        rule.criterion = policy_.criterion;
        rule.source = source();
        rule.quiet_survives = shows_quiet();
        const bool drains = policy_.criterion == Criterion::stalled || policy_.criterion == Criterion::progress;
        rule.backlog = drains && policy_.needs_backlog && has(can_.fields, Field::occupancy);
        rule.sends = drains && sends();
        rule.in_bytes = has(can_.fields, Field::tx_bytes);
        rule.slack_per_64k = static_cast<std::uint32_t>(std::uint64_t{policy_.slack_ppm} * 65'536 / 1'000'000);
        rule.floor_per_64k_us = rule.sends ? floor_per_64k_us(speed, policy_, rule.in_bytes) : 0;
        rule.leak = policy_.leak;
        rule.near_us = static_cast<std::uint32_t>(whole_us(std::max(policy_.poll, can_.refresh)));
        return rule;
    }

    // Notes which storms cannot be detected on rows whose speed is not known.
    void note_unknown_speed(std::size_t rows, std::vector<std::string>& notes) const
    {
        if (needs_speed(policy_, can_.fields)) {
            notes.push_back(fmt::format(
                "{}: speed_bps is not known for {} of its queues; how long an rx_xoff holds depends on it, so no storm "
                "can be seen there",
                policy_.name, rows));
        } else if (policy_.criterion == Criterion::progress || policy_.criterion == Criterion::stalled) {
            notes.push_back(fmt::format(
                "{}: speed_bps is not known for {} of its queues; without it any packet sent counts as progress, and a "
                "storm that lets one through is not seen",
                policy_.name, rows));
        }
    }

    void note(std::vector<std::string>& notes) const
    {
        const bool by_looks = policy_.criterion != Criterion::device;
        if (by_looks && action() != policy_.action) {
            notes.push_back(fmt::format("{}: the device cannot do {}; the effective action is {}", policy_.name,
                                        action_name(policy_.action), action_name(action())));
        }
        if (policy_.criterion == Criterion::receive_stall && can_.refresh > Duration{} &&
            policy_.detect == 2 * can_.refresh) {
            notes.push_back(fmt::format("{}: the device refreshes its counters every {} ms; the effective detect_ms is "
                                        "{}",
                                        policy_.name, whole_ms(can_.refresh), whole_ms(policy_.detect)));
        }
        if (!shows_quiet() && policy_.release == Release::quiet) {
            notes.push_back(fmt::format("{}: no signal of the device survives {}; queues are released by a timed probe",
                                        policy_.name, action_name(action())));
        }
        if (by_looks && can_.stamp_uncertainty > policy_.detect / kMostForgiven && policy_.detect != Duration::zero()) {
            notes.push_back(fmt::format("{}: time stamps of the device are uncertain by {} ms, more than a quarter of "
                                        "detect_ms = {}; storms may "
                                        "be found one poll late",
                                        policy_.name, whole_ms(can_.stamp_uncertainty), whole_ms(policy_.detect)));
        }
        if (policy_.criterion == Criterion::progress && policy_.needs_backlog && !has(can_.fields, Field::occupancy)) {
            notes.push_back(
                fmt::format("{}: the device does not report occupancy; an empty queue counts as well", policy_.name));
        }
        if (by_looks && policy_.poll * 4 > policy_.detect && policy_.detect != Duration::zero()) {
            notes.push_back(
                fmt::format("{}: poll_ms = {} is more than a quarter of detect_ms = {}; storms may be detected late",
                            policy_.name, whole_ms(policy_.poll), whole_ms(policy_.detect)));
        }
    }

private:
    Source source() const
    {
        return policy_.criterion == Criterion::receive_stall ? send_source(can_.fields)
                                                             : pause_source(policy_.criterion, can_.fields);
    }

    bool sends() const { return has(can_.fields, Field::tx_bytes) || has(can_.fields, Field::tx_packets); }

    const Policy& policy_;
    const Capabilities& can_;
};

// Unwatched rows join the run around them: their clocks have no limit, and long runs make the pass fast.
void append(std::vector<Run>& runs, std::uint32_t row, const std::optional<Rule>& rule)
{
    const bool joins = !runs.empty() && (!rule || runs.back().rule == *rule);
    if (joins) {
        runs.back().count = row - runs.back().first.value + 1;
    } else if (rule) {
        const std::uint32_t first = runs.empty() ? 0 : row;
        runs.push_back({Slot{first}, row - first + 1, *rule});
    }
}

}  // namespace

bool wants_row(const Policy& policy, const Assignment& assignment, const RowInfo& row)
{
    if (assignment.port && *assignment.port != row.target.port.index) {
        return false;
    }
    if ((policy.host_facing_only && !row.host_facing) || !row.lossless) {
        return false;
    }
    if (policy.criterion == Criterion::pause_timeout || policy.criterion == Criterion::receive_stall) {
        return !row.target.priority;  // both are states of a port
    }
    if (!row.target.priority) {
        return false;
    }
    const auto priority = row.target.priority->value;
    return assignment.priority ? assignment.priority->value == priority : (policy.priorities >> priority & 1U) != 0;
}

Treatment weaker(Treatment t)
{
    switch (t) {
    case Treatment::lossless_off:
    case Treatment::squeeze: return Treatment::drop;
    case Treatment::drop: return Treatment::drop_egress;
    case Treatment::drop_egress: return Treatment::ignore_pause;
    case Treatment::none:
    case Treatment::ignore_pause:
    case Treatment::mute_pause:
    case Treatment::port_down:
    case Treatment::count_: break;
    }
    return Treatment::none;
}

Treatment next_rung(const Policy& policy, Treatments can, Treatment refused)
{
    const bool closes =
        refused == Treatment::mute_pause && policy.port_down_if_refused && has(can, Treatment::port_down);
    return closes ? Treatment::port_down : weaker(refused);
}

Parsed<Watchlist> compile(const PolicyBook& book, Inventory inventory, const Capabilities& can)
{
    Watchlist list;
    list.inventory = std::move(inventory);
    list.capabilities = can;
    list.policies = book.policies;
    for (auto& policy : list.policies) {
        if (policy.criterion == Criterion::receive_stall) {
            policy.detect = std::max(policy.detect, 2 * can.refresh);  // at least two fresh samples
        }
    }
    list.max_mitigated = book.max_mitigated;
    list.big_red_switch = book.big_red_switch;
    list.rows.resize(list.inventory.rows.size());

    std::vector<Compiler> compilers;
    compilers.reserve(book.policies.size());
    for (const auto& policy : list.policies) {
        compilers.emplace_back(policy, can);
    }
    std::vector<bool> used(book.policies.size());
    std::vector<std::size_t> without_speed(book.policies.size());
    for (std::uint32_t row = 0; row < list.rows.size(); ++row) {
        const auto& info = list.inventory.rows[row];
        const auto claim = std::find_if(book.assigned.rbegin(), book.assigned.rend(), [&](const Assignment& a) {
            return wants_row(book.policies.at(a.policy), a, info);
        });
        std::optional<Rule> rule;
        if (claim != book.assigned.rend()) {
            const auto& compiler = compilers[claim->policy];
            used[claim->policy] = true;
            without_speed[claim->policy] += info.speed.bps == 0 ? 1U : 0U;
            list.rows[row] = {claim->policy, compiler.action()};
            rule = compiler.rule(info.speed);
        }
        append(list.runs, row, rule);
    }

    std::vector<Complaint> complaints;
    list.poll = Duration::max();
    for (std::size_t i = 0; i < compilers.size(); ++i) {
        const auto& policy = list.policies[i];
        if (!used[i]) {
            // A device that reports these fields has rows for its ports: it lacks both.
            const bool for_ports = policy.criterion == Criterion::receive_stall &&
                                   std::ranges::find(book.assigned, i, &Assignment::policy) != book.assigned.end();
            if (const auto missing = for_ports ? compilers[i].lacks() : std::nullopt) {
                complaints.push_back({policy.name, 0, 0, "what the device can report", "needs " + *missing});
                continue;
            }
            const auto same_name = [&](std::size_t other) {
                return used[other] && list.policies[other].name == policy.name;
            };
            bool named_elsewhere = false;
            for (std::size_t other = 0; other < compilers.size(); ++other) {
                named_elsewhere = named_elsewhere || same_name(other);
            }
            if (!named_elsewhere) {
                list.notes.push_back(fmt::format("{}: watches no queue of this device", policy.name));
            }
            continue;
        }
        if (const auto missing = compilers[i].lacks()) {
            complaints.push_back({policy.name, 0, 0, "what the device can report", "needs " + *missing});
            continue;
        }
        compilers[i].note(list.notes);
        if (without_speed[i] != 0) {
            compilers[i].note_unknown_speed(without_speed[i], list.notes);
        }
        list.poll = std::min(list.poll, std::max(policy.poll, can.refresh));
    }
    if (!complaints.empty()) {
        return tl::unexpected(std::move(complaints));
    }
    if (list.poll == Duration::max()) {
        list.poll = std::chrono::seconds{1};  // no row is watched: stay idle
    }
    return list;
}

}  // namespace petrel::watchdog

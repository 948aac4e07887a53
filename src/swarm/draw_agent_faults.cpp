#include "swarm/drawing.hpp"

namespace petrel::swarm {

// A time at which a decision is likely, or any.
std::int64_t Drawing::interesting_time()
{
    if (storms_.empty() || chance_.percent(40)) {
        return chance_.between(1, calm_ - 2);
    }
    const auto& storm = any_of(storms_);
    const auto& timers = any_of(timers_);
    const auto near = chance_.pick({storm.from, storm.from + timers.detect, storm.until, storm.until + timers.restore});
    return std::clamp<std::int64_t>(near + chance_.between(-2, timers.poll + 2), 1, calm_ - 2);
}

DraftTable& Drawing::agent_fault(std::string_view kind, std::int64_t at, const DrawnDevice& device)
{
    auto& made = fault(kind, at);
    put(made, "device", in_quotes(device.name));
    return made;
}

void Drawing::draw_agent_fault()
{
    const auto& device = any_of(!nics_.empty() && chance_.percent(40) ? nics_ : watched_);
    const auto at = interesting_time();
    const auto until = std::min(calm_ - 1, at + chance_.pick<std::int64_t>({5, 20, 60, 200}) + 1);
    const auto port =
        in_quotes(device.nic ? device.name
                             : fmt::format("{}:Ethernet{}", device.name,
                                           chance_.between(0, std::max<std::int64_t>(device.hosts - 1, 0))));
    switch (chance_.between(0, 22)) {
    case 0:
    case 1: draw_restart(device, at); break;
    case 2:
        put(agent_fault("delay-looks", at, device), "takes", ms(chance_.between(1, 3 * any_of(timers_).poll)));
        put(draft_.tables.back(), "until", ms(until));
        break;
    case 3: put(agent_fault("skip-looks", at, device), "until", ms(until)); break;
    case 4: put(agent_fault("freeze-counters", at, device), "until", ms(until)); break;
    case 5:
        put(agent_fault("reset-counters", at, device), "told", yes(chance_.percent(50)));
        if (chance_.percent(40)) {
            put(draft_.tables.back(), "wraps_after",
                fmt::format("{}", chance_.between(1, chance_.pick({10, 1'000, 100'000, 10'000'000}))));
        }
        break;
    case 6:
        put(agent_fault("clock-step", at, device), "by", ms(chance_.between(1, 100'000)));
        put(draft_.tables.back(), "back", yes(chance_.percent(50)));
        break;
    case 7:
    case 8:
        put(agent_fault("fail-writes", at, device), "how",
            in_quotes(squeezes(device) && chance_.percent(40)
                          ? "halfway"
                          : chance_.pick({"fail", "refuse", "time-out", "late", "no-effect"})));
        put_spell(at, until);
        break;
    case 9:
        put(agent_fault("lie", at, device), "shows",
            in_quotes(chance_.pick({"none", "drop", "ignore_pause", "squeeze", "mute_pause"})));
        put_spell(at, until);
        break;
    case 10: draw_change(device, at, until, port); break;
    case 11: draw_order(device, at, until, port); break;
    case 12: draw_slowness("slow-disk", at, until, device); break;
    case 13: draw_slowness("slow-writes", at, until, device); break;
    case 14:
        if (chance_.percent(20)) {
            draw_very_late_writes(device, at, until);
        } else {
            draw_slowness("delay-writes", at, until, device);
        }
        break;
    case 15:
    case 16: draw_death(device, at); break;
    case 17:
        put(agent_fault("corrupt-counters", at, device), "seed", fmt::format("{}", chance_.between(1, 1'000)));
        put(draft_.tables.back(), "until", ms(until));
        rest_after(at, until);
        break;
    case 18: draw_late_notices(device, at, until); break;
    case 19:
        put(agent_fault("corrupt-stamps", at, device), "by",
            us(chance_.between(1, chance_.pick({500, 5'000, 100'000}))));
        put(draft_.tables.back(), "seed", fmt::format("{}", chance_.between(1, 1'000)));
        put(draft_.tables.back(), "until", ms(until));
        rest_after(at, until);
        break;
    default:
        put(agent_fault(chance_.pick({"full-disk", "hang-device", "lose-notices"}), at, device), "until", ms(until));
        rest_after(at, until);
        break;
    }
}

void Drawing::draw_late_notices(const DrawnDevice& device, std::int64_t at, std::int64_t until)
{
    const auto takes = chance_.between(1, chance_.pick({5, 50, 200}));
    put(agent_fault("delay-notices", at, device), "takes", ms(takes));
    put(draft_.tables.back(), "twice", yes(chance_.percent(50)));
    put(draft_.tables.back(), "seed", fmt::format("{}", chance_.between(1, 1'000)));
    put(draft_.tables.back(), "until", ms(until));
    rest_after(at, until + takes);
}

void Drawing::draw_slowness(std::string_view kind, std::int64_t at, std::int64_t until, const DrawnDevice& device)
{
    const auto takes = chance_.between(1, 30);
    put(agent_fault(kind, at, device), "takes", ms(takes));
    put(draft_.tables.back(), "until", ms(until));
    rest_after(at, until + 16 * takes);  // up to 16 commands may wait for each other
}

// Writes may take effect when the agent that made them is long dead.
void Drawing::draw_very_late_writes(const DrawnDevice& device, std::int64_t at, std::int64_t until)
{
    const auto takes = chance_.between(30, chance_.pick({300, 1'000, 4'000}));
    put(agent_fault("delay-writes", at, device), "takes", ms(takes));
    put(draft_.tables.back(), "until", ms(until));
    rest_after(at, until + 2 * takes);
    rest_ += 600;  // the oracles wait for the end of the longest restore
    if (chance_.percent(70)) {
        agent_fault("kill-agent", until, device);
        draw_start(device, std::min(calm_ - 1, until + chance_.pick<std::int64_t>({1, 20, 200})));
    }
}

// Some calls, or all until then.
void Drawing::put_spell(std::int64_t at, std::int64_t until)
{
    if (chance_.percent(50)) {
        put(draft_.tables.back(), "calls", fmt::format("{}", chance_.between(1, 3)));
    } else {
        put(draft_.tables.back(), "until", ms(until));
        rest_after(at, until);
    }
}

void Drawing::draw_restart(const DrawnDevice& device, std::int64_t at)
{
    const auto start = std::min(calm_ - 1, at + chance_.pick<std::int64_t>({0, 1, 5, 50, 200}));
    if (start > at || chance_.percent(50)) {
        agent_fault("kill-agent", at, device);
    }
    draw_start(device, start);
}

// The agent dies in the middle of a call, and the next one may die in a call of its start.
void Drawing::draw_death(const DrawnDevice& device, std::int64_t at)
{
    for (auto left = chance_.pick({1, 1, 1, 2}); left > 0 && at < calm_ - 1; --left) {
        put(agent_fault("kill-agent", at, device), "step",
            in_quotes(squeezes(device) && chance_.percent(40)
                          ? "halfway"
                          : chance_.pick({"remembered", "before_prepare", "prepared", "journaled", "applied",
                                          "read_back", "closed"})));
        at = std::min(calm_ - 1, at + chance_.pick<std::int64_t>({5, 50, 200}));
        draw_start(device, at);
    }
}

void Drawing::draw_start(const DrawnDevice& device, std::int64_t start)
{
    auto& again = agent_fault("start-agent", start, device);
    const auto memory = chance_.pick({"kept", "kept", "kept", "torn", "torn", "lost"});
    put(again, "memory", in_quotes(memory));
    if (memory != std::string_view{"kept"}) {
        rest_ = std::max<std::int64_t>(rest_, 1'400);  // after a second, the agent looks for late writes
    }
    if (memory == std::string_view{"torn"} && chance_.percent(70)) {
        put(again, "torn_bytes", fmt::format("{}", chance_.between(1, chance_.pick({40, 400, 4'000}))));
    }
    if (memory == std::string_view{"torn"} && chance_.percent(50)) {
        put(again, "torn_journal", fmt::format("{}", chance_.between(1, chance_.pick({8, 80, 400}))));
    }
}

void Drawing::draw_change(const DrawnDevice& device, std::int64_t at, std::int64_t until, const std::string& port)
{
    switch (chance_.between(0, 2)) {
    case 0: agent_fault("reload", at, device); break;
    case 1:
        put(agent_fault("remove-port", at, device), "port", port);
        put(draft_.tables.back(), "until", ms(until));
        rest_ = std::max<std::int64_t>(rest_, 1'000) + 400;  // an agent without a queue to watch looks once a second
        break;
    default: {
        auto& change = agent_fault("set-policy", at, device);
        if (device.nic) {
            fill_nic_policy(change);
            break;
        }
        fill_policy(change);
        if (chance_.percent(25)) {
            put(change, "ports", ports_of(device));
        }
        break;
    }
    }
}

void Drawing::draw_order(const DrawnDevice& device, std::int64_t at, std::int64_t until, const std::string& port)
{
    const auto order = [&](std::string_view what, std::int64_t when, bool whole) {
        put(agent_fault("order", when, device), "what", in_quotes(what));
        if (!whole) {
            put(draft_.tables.back(), "port", port);
        }
    };
    const bool whole = chance_.percent(30);
    switch (chance_.between(0, 4)) {
    case 0:
        order("mitigate", at, whole);
        order("release", until, whole);
        break;
    case 1:
        order("hold", at, whole);
        order("release", until, whole);
        break;
    case 2:
        order("red-switch-on", at, true);
        order("red-switch-off", until, true);
        break;
    case 3: order("release", at, whole); break;
    default:
        order(chance_.pick({"stop", "stop-and-hold"}), at, true);
        stopped_[device.name] = &device;
        break;
    }
}

// Devices whose agent was stopped have an agent again when all faults are over.
void Drawing::end_calmly()
{
    for (const auto& [name, device] : stopped_) {
        agent_fault("start-agent", calm_, *device);
    }
}

}  // namespace petrel::swarm

#include "swarm/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "swarm/chance.hpp"

namespace petrel::swarm {

namespace {

std::string in_quotes(std::string_view words) { return fmt::format("\"{}\"", words); }
std::string ms(std::int64_t value) { return fmt::format("\"{}ms\"", value); }
std::string us(std::int64_t value) { return fmt::format("\"{}us\"", value); }
std::string yes(bool value) { return value ? "true" : "false"; }

constexpr std::int64_t kMostJitterUs = 250;  // a quarter of the shortest poll interval that is drawn
// The agent estimates the drift between pause time and stamps up to 5 % of the stamps.
constexpr std::int64_t kMostDriftPpm = 47'000;

// A switch, or a NIC, which has one port.
struct DrawnDevice {
    std::string name;
    std::int64_t hosts{};  // of a switch: hosts at its ports Ethernet0...
    std::int64_t ports{};
    bool nic{};
};

// The timers of a policy, in milliseconds.
struct Timers {
    std::int64_t detect{};
    std::int64_t restore{};
    std::int64_t poll{};
};

struct Period {
    std::int64_t from{};
    std::int64_t until{};
};

class Drawing {
public:
    explicit Drawing(std::uint64_t seed) : chance_(seed)
    {
        auto& top = table("");
        calm_ = chance_.between(200, 900);
        put(top, "name", in_quotes(fmt::format("swarm-{}", seed)));
        put(top, "duration", "");  // known at the end
        put(top, "seed", fmt::format("{}", chance_.between(1, 1'000'000)));
    }

    Draft draw()
    {
        draw_fabric();
        draw_switch_profile();
        draw_policies();
        draw_traffic();
        for (auto left = chance_.pick({0, 1, 1, 1, 2, 3}); left > 0; --left) {
            draw_storm();
        }
        if (!nics_.empty() && chance_.percent(70)) {
            draw_stall();
        }
        for (auto left = chance_.pick({0, 0, 0, 1, 1, 2}); left > 0; --left) {
            draw_fabric_fault();
        }
        for (auto left = chance_.pick({0, 1, 1, 2, 2, 3, 4, 6}); left > 0; --left) {
            draw_agent_fault();
        }
        end_calmly();
        draft_.tables.front().keys[1].value = ms(calm_ + rest_);
        return std::move(draft_);
    }

private:
    DraftTable& table(std::string heading)
    {
        draft_.tables.push_back({std::move(heading), {}});
        return draft_.tables.back();
    }
    static void put(DraftTable& into, std::string key, std::string value)
    {
        into.keys.push_back({std::move(key), std::move(value)});
    }
    template <class T>
    const T& any_of(const std::vector<T>& choices)
    {
        return choices[static_cast<std::size_t>(chance_.between(0, static_cast<std::int64_t>(choices.size()) - 1))];
    }
    DraftTable& fault(std::string_view kind, std::int64_t at)
    {
        auto& made = table("[[fault]]");
        put(made, "at", ms(at));
        put(made, "kind", in_quotes(kind));
        return made;
    }

    // --- the fabric

    void draw_fabric()
    {
        auto& topology = table("[topology]");
        switch (chance_.pick({0, 0, 0, 1, 1, 2, 2, 3})) {
        case 0: {
            hosts_ = chance_.between(2, 5);
            put(topology, "kind", in_quotes("single-switch"));
            put(topology, "hosts", fmt::format("{}", hosts_));
            switches_ = {{"s0", hosts_, hosts_}};
            break;
        }
        case 1: {
            const auto left = chance_.between(1, 3);
            const auto right = chance_.between(1, 2);
            hosts_ = left + right;
            put(topology, "kind", in_quotes("dumbbell"));
            put(topology, "left", fmt::format("{}", left));
            put(topology, "right", fmt::format("{}", right));
            switches_ = {{"s0", left, left + 1}, {"s1", right, right + 1}};
            break;
        }
        case 2: {
            const auto spines = chance_.between(1, 2);
            const auto each = chance_.between(1, 2);
            hosts_ = 2 * each;
            put(topology, "kind", in_quotes("leaf-spine"));
            put(topology, "leaves", "2");
            put(topology, "spines", fmt::format("{}", spines));
            put(topology, "hosts_per_leaf", fmt::format("{}", each));
            switches_ = {{"leaf0", each, each + spines}, {"leaf1", each, each + spines}, {"spine0", 0, 2}};
            break;
        }
        default: {
            hosts_ = 3;
            put(topology, "kind", in_quotes("ring"));
            put(topology, "switches", "3");
            put(topology, "hosts_per_switch", "1");
            switches_ = {{"s0", 1, 3}, {"s1", 1, 3}, {"s2", 1, 3}};
            break;
        }
        }
        gigabits_ = chance_.pick<std::int64_t>({1, 1, 10, 25});
        const auto delay = chance_.pick<std::int64_t>({1, 1, 2, 20});
        put(topology, "host_links", fmt::format("{{ speed = \"{}G\", delay = {} }}", gigabits_, us(delay)));
        if (switches_.size() > 1 && switches_.front().name == "leaf0") {
            const auto faster = gigabits_ * chance_.pick({1, 1, 4});
            put(topology, "fabric_links", fmt::format("{{ speed = \"{}G\", delay = {} }}", faster, us(delay)));
        }
    }

    void draw_switch_profile()
    {
        auto& profile = table("[[switch]]");
        if (chance_.percent(60)) {
            put(profile, "limit", in_quotes(fmt::format("{}kB", chance_.pick({10, 20, 40, 100}))));
        } else {
            put(profile, "alpha", fmt::format("{}", chance_.between(-6, 0)));
        }
        if (chance_.percent(10)) {
            slingshot_ = true;
            put(profile, "registers", in_quotes("slingshot"));
            put(profile, "pause_limit", ms(chance_.between(5, 60)));
            return;
        }
        draw_flaws(profile);
        if (chance_.percent(10)) {
            put(profile, "pause", fmt::format("{{ response = {} }}", us(chance_.between(1, 20))));
        }
        if (chance_.percent(10)) {
            pause_limit_ = true;
            put(profile, "pause_limit", ms(chance_.between(5, 60)));
        } else if (chance_.percent(15)) {
            detects_itself_ = true;
            put(profile, "deadlock_detect", ms(chance_.between(5, 60)));
            put(profile, "deadlock_recover", ms(chance_.between(5, 60)));
        }
    }

    void draw_flaws(DraftTable& profile)
    {
        std::vector<std::string> flaws;
        if (chance_.percent(15)) {
            deaf_ = true;
            flaws.emplace_back("deaf_without_pfc = true");
        } else if (chance_.percent(10)) {
            flaws.push_back(fmt::format("refresh = {}", ms(chance_.between(1, 30))));
        } else if (chance_.percent(6)) {
            flaws.emplace_back("quanta = true");
        } else if (chance_.percent(15)) {
            flaws.push_back(fmt::format("jitter = {}", us(chance_.between(1, kMostJitterUs))));
        }
        if (chance_.percent(20)) {
            const auto most = chance_.pick<std::int64_t>({100, 5'000, kMostDriftPpm});
            flaws.push_back(fmt::format("drift_ppm = {}", chance_.between(-most, most)));
        }
        if (!flaws.empty()) {
            put(profile, "flaws", fmt::format("{{ {} }}", fmt::join(flaws, ", ")));
        }
    }

    // --- policies

    void draw_policies()
    {
        if (chance_.percent(65)) {
            draw_policy("switches");
            for (const auto& one : switches_) {
                watched_.push_back(one);
            }
        } else {
            for (const auto& one : switches_) {
                if (chance_.percent(80) || watched_.empty()) {
                    draw_policy(one.name);
                    watched_.push_back(one);
                }
            }
        }
        for (auto left = chance_.pick({0, 0, 0, 1, 1, 2}); left > 0; --left) {
            draw_policy_of_ports(any_of(watched_));
        }
        if (chance_.percent(20)) {
            timers_.push_back(fill_nic_policy(table("[[policy]]")));
            for (std::int64_t host = 0; host < hosts_; ++host) {
                nics_.push_back({fmt::format("h{}", host), 0, 1, true});
            }
        }
        auto& limits = table("[limits]");
        put(limits, "hang_ms", fmt::format("{}", chance_.between(10, 100)));
        if (chance_.percent(10)) {
            put(limits, "max_mitigated", fmt::format("{}", chance_.between(1, 2)));
        }
    }

    void draw_policy(std::string_view devices)
    {
        auto& policy = table("[[policy]]");
        timers_.push_back(fill_policy(policy));
        put(policy, "devices", in_quotes(devices));
        if (chance_.percent(5)) {
            put(policy, "ports", "[\"Ethernet0\"]");  // a port that every switch has
        }
    }

    // A policy that overrides those before it: for one priority of a device, or on one or two ports, where one priority
    // may have parameters of its own.
    void draw_policy_of_ports(const DrawnDevice& device)
    {
        auto& policy = table("[[policy]]");
        const auto timers = fill_policy(policy);
        timers_.push_back(timers);
        put(policy, "devices", in_quotes(device.name));
        if (chance_.percent(20)) {
            put(policy, "priorities", chance_.pick({"[3]", "[4]"}));
            return;
        }
        put(policy, "ports", ports_of(device));
        if (*policy.find("preset") != in_quotes("pause-too-long") && chance_.percent(30)) {
            auto& of_priority = table(fmt::format("[policy.per_priority.{}]", chance_.pick({3, 4})));
            const auto detect = timers.detect * chance_.between(1, 3);
            put(of_priority, "detect_ms", fmt::format("{}", detect));
            put(of_priority, "action", in_quotes(chance_.pick({"alert", "drop"})));
            rest_ += 4 * (detect - timers.detect);
        }
    }

    std::string ports_of(const DrawnDevice& device)
    {
        const auto first = chance_.between(0, device.ports - 1);
        const auto second = chance_.between(0, device.ports - 1);
        return first == second ? fmt::format("[\"Ethernet{}\"]", first)
                               : fmt::format("[\"Ethernet{}\", \"Ethernet{}\"]", first, second);
    }

    // A stall latches the NIC, or is given up after T1 for a probe.
    Timers fill_nic_policy(DraftTable& policy)
    {
        Timers timers;
        timers.detect = chance_.between(80, 150);
        timers.poll = chance_.pick({5, 10, 20});
        put(policy, "preset", in_quotes("rdma-nic"));
        put(policy, "detect_ms", fmt::format("{}", timers.detect));
        put(policy, "poll_ms", fmt::format("{}", timers.poll));
        if (chance_.percent(15)) {
            put(policy, "action", in_quotes("alert"));
        }
        if (chance_.percent(40)) {
            timers.restore = timers.poll;
            put(policy, "restore_ms", fmt::format("{}", timers.restore));
            put(policy, "release", in_quotes(chance_.pick({"auto", "forced"})));
            put(policy, "latch_count", "0");
        }
        rest_ = std::max(rest_, 64 * timers.restore + 4 * timers.detect + 20 * timers.poll + 150);
        return timers;
    }

    // The keys that a [[policy]] and a `set-policy` of a switch share.
    Timers fill_policy(DraftTable& policy)
    {
        auto preset = chance_.pick<std::string_view>(
            {"sai", "sai", "sai", "sai", "sai", "sonic", "rdma-switch", "rdma-switch", "progress"});
        preset = slingshot_ || (pause_limit_ && chance_.percent(70)) ? "pause-too-long" : preset;
        put(policy, "preset", in_quotes(preset));
        Timers timers;
        timers.poll =
            preset == "sonic" ? chance_.between(100, 110) : chance_.pick<std::int64_t>({1, 2, 5, 5, 10, 10, 20, 20});
        const auto least = preset == "sonic" || preset == "progress" ? std::int64_t{100}
                           : preset == "rdma-switch"                 ? std::int64_t{10}
                                                                     : timers.poll;
        const auto most = preset == "sonic" ? 3 : 8;
        timers.detect = std::max(least, timers.poll * chance_.between(1, most) + chance_.pick({0, 0, 1}));
        timers.restore = std::max(least, timers.poll * chance_.between(1, deaf_ ? 2 : most) + chance_.pick({0, 0, 1}));
        const bool status = preset == "pause-too-long";
        if (status && chance_.percent(70)) {
            timers.detect = timers.restore = 0;
        }
        put(policy, "poll_ms", fmt::format("{}", timers.poll));
        put(policy, "detect_ms", fmt::format("{}", timers.detect));
        put(policy, "restore_ms", fmt::format("{}", timers.restore));
        std::int64_t longest = timers.restore * (deaf_ ? 64 : 4);
        if (chance_.percent(status ? 20 : 50)) {
            put(policy, "action",
                in_quotes(status                    ? "alert"
                          : preset == "rdma-switch" ? chance_.pick({"alert", "drop", "lossless-off"})
                                                    : chance_.pick({"alert", "forward", "forward", "drop"})));
        }
        if (chance_.percent(15)) {
            put(policy, "release", in_quotes(chance_.pick({"forced", "forced", "manual"})));
        }
        if (!status && chance_.percent(20)) {
            put(policy, "probe_ms", fmt::format("{}", chance_.between(1, timers.detect)));
        }
        if (timers.restore > 0 && chance_.percent(20)) {
            const auto backoff = timers.restore * chance_.between(1, 6);
            put(policy, "backoff_max_ms", fmt::format("{}", backoff));
            longest = std::max(longest, 2 * backoff);
        }
        if (chance_.percent(12)) {
            put(policy, "latch_count", fmt::format("{}", chance_.between(1, 3)));
            put(policy, "latch_window_ms", fmt::format("{}", chance_.between(100, 2'000)));
        }
        if (preset == "sai" && detects_itself_ && chance_.percent(70)) {
            put(policy, "detected_by", in_quotes("device"));
            put(policy, "clip", "true");
        }
        if (preset == "sai" && chance_.percent(10)) {
            put(policy, "needs_backlog", "true");
        }
        rest_ = std::max(rest_, longest + 4 * timers.detect + 20 * timers.poll + 150);
        return timers;
    }

    // --- traffic

    std::string any_host() { return in_quotes(fmt::format("h{}", chance_.between(0, hosts_ - 1))); }

    void draw_traffic()
    {
        for (auto left = chance_.pick({1, 1, 2, 3}); left > 0; --left) {
            auto& traffic = table("[[traffic]]");
            const auto kind = chance_.between(0, 2);
            if (kind == 0) {
                put(traffic, "pattern", in_quotes("permutation"));
                put(traffic, "rate", in_quotes(fmt::format("{}M", chance_.pick({10, 20, 40}))));
            } else if (kind == 1) {
                put(traffic, "pattern", in_quotes("incast"));
                put(traffic, "to", any_host());
                put(traffic, "packets", fmt::format("{}", chance_.between(20, 800)));
                put(traffic, "start", ms(chance_.between(0, calm_ / 2)));
            } else {
                const auto to = chance_.between(0, hosts_ - 1);
                put(traffic, "from", in_quotes(fmt::format("h{}", (to + chance_.between(1, hosts_ - 1)) % hosts_)));
                put(traffic, "to", in_quotes(fmt::format("h{}", to)));
                put(traffic, "rate", in_quotes(fmt::format("{}M", chance_.pick({10, 50, 100}))));
            }
            put(traffic, "dscp", fmt::format("{}", chance_.pick({3, 3, 3, 4, 0})));
            put(traffic, "reliable", yes(chance_.percent(40)));
            put(traffic, "stop", ms(calm_));
        }
    }

    // --- storms and faults of the fabric

    // A duration close to one that matters to a policy, or any.
    std::int64_t interesting_duration()
    {
        const auto& timers = any_of(timers_);
        const auto near = chance_.pick<std::int64_t>(
            {timers.detect, timers.detect, timers.detect + timers.poll, timers.detect / 2, timers.restore});
        const auto length = chance_.percent(60) ? near + chance_.between(-2, 2) : chance_.between(1, calm_);
        return std::max<std::int64_t>(1, length);
    }

    Period any_period()
    {
        const auto from = chance_.between(1, calm_ - 10);
        return {from, std::min(from + interesting_duration(), calm_)};
    }

    void draw_storm()
    {
        const auto when = any_period();
        const auto host = any_host();
        storms_.push_back(when);
        const auto kind = chance_.between(0, 9);
        if (kind == 0) {
            put(fault("slow-pipeline", when.from), "host", host);
            put(draft_.tables.back(), "rate", in_quotes(chance_.pick({"10M", "20M", "500M"})));
            put(fault("heal-pipeline", when.until), "host", host);
            return;
        }
        if (kind <= 2) {
            put(fault("stop-pipeline", when.from), "host", host);
            put(fault("heal-pipeline", when.until), "host", host);
            return;
        }
        auto& storm = fault("storm", when.from);
        put(storm, "host", host);
        put(storm, "priorities", chance_.pick<std::string_view>({"3", "3", "4", "[3, 4]"}).data());
        // The longest pause of one frame is 33.5 ms at 1 Gb/s.
        put(storm, "period", us(33'000 / gigabits_ / chance_.pick<std::int64_t>({2, 4, 10})));
        put(storm, "until", ms(when.until));
        if (chance_.percent(15)) {
            put(storm, "burst", ms(interesting_duration()));
            put(storm, "silence", ms(interesting_duration()));
        } else if (chance_.percent(8)) {
            put(storm, "xon_every", fmt::format("{}", chance_.between(2, 50)));
        }
    }

    // A NIC that receives traffic stops taking frames, for about as long as its policy asks for.
    void draw_stall()
    {
        const auto to = chance_.between(0, hosts_ - 1);
        auto& traffic = table("[[traffic]]");
        put(traffic, "from", in_quotes(fmt::format("h{}", (to + 1) % hosts_)));
        put(traffic, "to", in_quotes(fmt::format("h{}", to)));
        put(traffic, "rate", in_quotes("200M"));
        put(traffic, "reliable", "false");
        put(traffic, "stop", ms(calm_));
        const auto from = chance_.between(1, calm_ / 2);
        const auto until = std::min(calm_, from + timers_.back().detect + chance_.between(0, 300));
        storms_.push_back({from, until});
        put(fault("stop-pipeline", from), "host", in_quotes(fmt::format("h{}", to)));
        put(fault("heal-pipeline", until), "host", in_quotes(fmt::format("h{}", to)));
    }

    void draw_fabric_fault()
    {
        const auto when = any_period();
        const auto& at = any_of(switches_);
        const auto port = in_quotes(
            fmt::format("{}:Ethernet{}", at.name, chance_.between(0, std::max<std::int64_t>(at.hosts - 1, 0))));
        switch (chance_.between(0, 3)) {
        case 0:
            put(fault("cut-link", when.from), "link", port);
            put(fault("mend-link", when.until), "link", port);
            break;
        case 1:
            put(fault("set-speed", when.from), "link", port);
            put(draft_.tables.back(), "speed", in_quotes(chance_.pick({"1G", "10G"})));
            put(draft_.tables.back(), "down", ms(chance_.between(10, 50)));
            rest_ = std::max<std::int64_t>(rest_, 200);
            break;
        case 2:
            put(fault("slow-port", when.from), "port", port);
            put(draft_.tables.back(), "rate", in_quotes("10M"));
            put(draft_.tables.back(), "until", ms(when.until));
            break;
        default: put(fault("reboot-host", when.from), "host", any_host()); break;
        }
    }

    // --- faults of devices and agents

    // A time at which a decision is likely, or any.
    std::int64_t interesting_time()
    {
        if (storms_.empty() || chance_.percent(40)) {
            return chance_.between(1, calm_ - 2);
        }
        const auto& storm = any_of(storms_);
        const auto& timers = any_of(timers_);
        const auto near =
            chance_.pick({storm.from, storm.from + timers.detect, storm.until, storm.until + timers.restore});
        return std::clamp<std::int64_t>(near + chance_.between(-2, timers.poll + 2), 1, calm_ - 2);
    }

    DraftTable& agent_fault(std::string_view kind, std::int64_t at, const DrawnDevice& device)
    {
        auto& made = fault(kind, at);
        put(made, "device", in_quotes(device.name));
        return made;
    }

    void draw_agent_fault()
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
                in_quotes(chance_.pick({"fail", "refuse", "time-out", "late", "no-effect"})));
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
        case 14: draw_slowness("delay-writes", at, until, device); break;
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
            put(agent_fault(chance_.pick({"full-disk", "hang-device", "lose-notices"}), at, device), "until",
                ms(until));
            rest_after(at, until);
            break;
        }
    }

    void draw_late_notices(const DrawnDevice& device, std::int64_t at, std::int64_t until)
    {
        const auto takes = chance_.between(1, chance_.pick({5, 50, 200}));
        put(agent_fault("delay-notices", at, device), "takes", ms(takes));
        put(draft_.tables.back(), "twice", yes(chance_.percent(50)));
        put(draft_.tables.back(), "seed", fmt::format("{}", chance_.between(1, 1'000)));
        put(draft_.tables.back(), "until", ms(until));
        rest_after(at, until + takes);
    }

    void draw_slowness(std::string_view kind, std::int64_t at, std::int64_t until, const DrawnDevice& device)
    {
        const auto takes = chance_.between(1, 30);
        put(agent_fault(kind, at, device), "takes", ms(takes));
        put(draft_.tables.back(), "until", ms(until));
        rest_after(at, until + 16 * takes);  // up to 16 commands may wait for each other
    }

    // Some calls, or all until then.
    void put_spell(std::int64_t at, std::int64_t until)
    {
        if (chance_.percent(50)) {
            put(draft_.tables.back(), "calls", fmt::format("{}", chance_.between(1, 3)));
        } else {
            put(draft_.tables.back(), "until", ms(until));
            rest_after(at, until);
        }
    }

    // Retries back off: after a fault, the next one may take as long as the fault lasted.
    void rest_after(std::int64_t at, std::int64_t until) { rest_ = std::max(rest_, 2 * (until - at) + 400); }

    void draw_restart(const DrawnDevice& device, std::int64_t at)
    {
        const auto start = std::min(calm_ - 1, at + chance_.pick<std::int64_t>({0, 1, 5, 50, 200}));
        if (start > at || chance_.percent(50)) {
            agent_fault("kill-agent", at, device);
        }
        draw_start(device, start);
    }

    // The agent dies in the middle of a call, and the next one may die in a call of its start.
    void draw_death(const DrawnDevice& device, std::int64_t at)
    {
        for (auto left = chance_.pick({1, 1, 1, 2}); left > 0 && at < calm_ - 1; --left) {
            put(agent_fault("kill-agent", at, device), "step",
                in_quotes(chance_.pick(
                    {"remembered", "before_prepare", "prepared", "journaled", "applied", "read_back", "closed"})));
            at = std::min(calm_ - 1, at + chance_.pick<std::int64_t>({5, 50, 200}));
            draw_start(device, at);
        }
    }

    void draw_start(const DrawnDevice& device, std::int64_t start)
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
    }

    void draw_change(const DrawnDevice& device, std::int64_t at, std::int64_t until, const std::string& port)
    {
        switch (chance_.between(0, 2)) {
        case 0: agent_fault("reload", at, device); break;
        case 1:
            put(agent_fault("remove-port", at, device), "port", port);
            put(draft_.tables.back(), "until", ms(until));
            rest_ =
                std::max<std::int64_t>(rest_, 1'000) + 400;  // an agent without a queue to watch looks once a second
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

    void draw_order(const DrawnDevice& device, std::int64_t at, std::int64_t until, const std::string& port)
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
    void end_calmly()
    {
        for (const auto& [name, device] : stopped_) {
            agent_fault("start-agent", calm_, *device);
        }
    }

    Chance chance_;
    Draft draft_;
    std::int64_t calm_{};     // in milliseconds, as all times here
    std::int64_t rest_{300};  // the run goes on for this long after the calm
    std::int64_t hosts_{};
    std::int64_t gigabits_{};
    bool deaf_{};
    bool pause_limit_{};
    bool slingshot_{};
    bool detects_itself_{};
    std::vector<Timers> timers_;  // of all policies
    std::vector<DrawnDevice> switches_;
    std::vector<DrawnDevice> watched_;  // switches
    std::vector<DrawnDevice> nics_;     // that are watched
    std::map<std::string, const DrawnDevice*> stopped_;
    std::vector<Period> storms_;
};

}  // namespace

Draft draw(std::uint64_t seed) { return Drawing{seed}.draw(); }

}  // namespace petrel::swarm

#include "swarm/drawing.hpp"

namespace petrel::swarm {

namespace {

constexpr std::int64_t kMuchLonger = 5'000;  // than a run; in milliseconds

}  // namespace

void Drawing::draw_policies()
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

void Drawing::draw_policy(std::string_view devices)
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
void Drawing::draw_policy_of_ports(const DrawnDevice& device)
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

std::string Drawing::ports_of(const DrawnDevice& device)
{
    const auto first = chance_.between(0, device.ports - 1);
    const auto second = chance_.between(0, device.ports - 1);
    return first == second ? fmt::format("[\"Ethernet{}\"]", first)
                           : fmt::format("[\"Ethernet{}\", \"Ethernet{}\"]", first, second);
}

// A stall latches the NIC, or is given up after T1 for a probe.
Timers Drawing::fill_nic_policy(DraftTable& policy)
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
Timers Drawing::fill_policy(DraftTable& policy)
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
    const bool odd = !status && chance_.percent(10);
    const auto longer = odd ? chance_.pick({0, 0, 1, 2}) : 0;
    put(policy, "detect_ms", fmt::format("{}", longer == 1 ? kMuchLonger : timers.detect));
    put(policy, "restore_ms", fmt::format("{}", longer == 2 ? kMuchLonger : timers.restore));
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
    if (timers.restore > 0 && longer != 2 && chance_.percent(20)) {
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
    if (odd) {
        fill_odd_parameter(policy, preset);
    }
    rest_ = std::max(rest_, longest + 4 * timers.detect + 20 * timers.poll + 150);
    return timers;
}

// A value at the edge of what is allowed.
void Drawing::fill_odd_parameter(DraftTable& policy, std::string_view preset)
{
    const bool leaks = preset == "progress";
    switch (chance_.between(0, 4)) {
    case 0: put(policy, "slack_ppm", chance_.pick({"0", "1000", "100000"})); break;
    case 1: put(policy, "floor_ppm", chance_.pick({"0", "100000"})); break;
    case 2: put(policy, "leak", leaks ? "4" : "1"); break;
    case 3: put(policy, "interval_tolerance", chance_.pick({"0", "100"})); break;
    default:
        if (policy.find("latch_count") == nullptr) {
            put(policy, "latch_count", "32");
            put(policy, "latch_window_ms", "3600000");
        }
        break;
    }
}

}  // namespace petrel::swarm

#include "swarm/draw.hpp"

#include "swarm/drawing.hpp"

namespace petrel::swarm {

namespace {

constexpr std::int64_t kMostJitterUs = 250;  // a quarter of the shortest poll interval that is drawn
// The agent estimates the drift between pause time and stamps up to 5 % of the stamps.
constexpr std::int64_t kMostDriftPpm = 47'000;

}  // namespace

Drawing::Drawing(std::uint64_t seed) : chance_(seed)
{
    auto& top = table("");
    calm_ = chance_.between(200, 900);
    put(top, "name", in_quotes(fmt::format("swarm-{}", seed)));
    put(top, "duration", "");  // known at the end
    put(top, "seed", fmt::format("{}", chance_.between(1, 1'000'000)));
}

Draft Drawing::draw()
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
    draw_manager();
    end_calmly();
    draft_.tables.front().keys[1].value = ms(calm_ + rest_);
    return std::move(draft_);
}

void Drawing::draw_fabric()
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

void Drawing::draw_switch_profile()
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
    if (chance_.percent(15)) {
        put(profile, "acts_after", ms(chance_.between(1, 60)));
    }
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

void Drawing::draw_flaws(DraftTable& profile)
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

void Drawing::draw_traffic()
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

Draft draw(std::uint64_t seed) { return Drawing{seed}.draw(); }

}  // namespace petrel::swarm

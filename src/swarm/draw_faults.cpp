#include "swarm/drawing.hpp"

namespace petrel::swarm {

// A duration close to one that matters to a policy, or any.
std::int64_t Drawing::interesting_duration()
{
    const auto& timers = any_of(timers_);
    const auto near = chance_.pick<std::int64_t>(
        {timers.detect, timers.detect, timers.detect + timers.poll, timers.detect / 2, timers.restore});
    const auto length = chance_.percent(60) ? near + chance_.between(-2, 2) : chance_.between(1, calm_);
    return std::max<std::int64_t>(1, length);
}

Drawing::Period Drawing::any_period()
{
    const auto from = chance_.between(1, calm_ - 10);
    return {from, std::min(from + interesting_duration(), calm_)};
}

void Drawing::draw_storm()
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
void Drawing::draw_stall()
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

// A port that does not accept every width or speed of its link. Most links stay as they are until they lose lanes.
void Drawing::draw_link_policy(const std::string& port)
{
    auto& policy = table("[[port]]");
    put(policy, "port", port);
    if (chance_.percent(50)) {
        put(policy, "widths", chance_.pick<std::string_view>({"4", "[2, 4]", "[1, 4]"}).data());
    } else {
        put(policy, "least_speed", in_quotes(fmt::format("{}M", 1'000 * gigabits_ / chance_.pick({1, 2}))));
    }
}

void Drawing::draw_fabric_fault()
{
    const auto when = any_period();
    const auto& at = any_of(switches_);
    const auto port =
        in_quotes(fmt::format("{}:Ethernet{}", at.name, chance_.between(0, std::max<std::int64_t>(at.hosts - 1, 0))));
    switch (chance_.between(0, 4)) {
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
    case 3:
        if (chance_.percent(50)) {
            draw_link_policy(port);
        }
        put(fault("degrade-link", when.from), "link", port);
        put(draft_.tables.back(), "lanes", fmt::format("{}", chance_.between(1, 3)));
        break;
    default: put(fault("reboot-host", when.from), "host", any_host()); break;
    }
}

}  // namespace petrel::swarm

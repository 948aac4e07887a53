// The state of one draw. Each part of a scenario is drawn in a file of its own: fabric and traffic in draw.cpp,
// policies in draw_policies.cpp, faults of the fabric in draw_faults.cpp, faults of devices and agents in
// draw_agent_faults.cpp, managers in draw_manager.cpp. The order of the draws is part of what a seed means: another
// order gives other scenarios.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "swarm/chance.hpp"
#include "swarm/draft.hpp"

namespace petrel::swarm {

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

class Drawing {
public:
    explicit Drawing(std::uint64_t seed);
    Draft draw();

private:
    struct Period {
        std::int64_t from{};
        std::int64_t until{};
    };

    // Values as a scenario file has them.
    static std::string in_quotes(std::string_view words) { return fmt::format("\"{}\"", words); }
    static std::string ms(std::int64_t value) { return fmt::format("\"{}ms\"", value); }
    static std::string us(std::int64_t value) { return fmt::format("\"{}us\"", value); }
    static std::string yes(bool value) { return value ? "true" : "false"; }

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

    void draw_fabric();
    void draw_switch_profile();
    void draw_flaws(DraftTable& profile);

    // --- policies

    void draw_policies();
    void draw_policy(std::string_view devices);
    void draw_policy_of_ports(const DrawnDevice& device);
    std::string ports_of(const DrawnDevice& device);
    Timers fill_nic_policy(DraftTable& policy);
    Timers fill_policy(DraftTable& policy);
    void fill_odd_parameter(DraftTable& policy, std::string_view preset);

    // --- traffic

    std::string any_host() { return in_quotes(fmt::format("h{}", chance_.between(0, hosts_ - 1))); }
    void draw_traffic();

    // --- storms and faults of the fabric

    std::int64_t interesting_duration();
    Period any_period();
    void draw_storm();
    void draw_stall();
    void draw_link_policy(const std::string& port);
    void draw_fabric_fault();

    // --- faults of devices and agents

    std::int64_t interesting_time();
    DraftTable& agent_fault(std::string_view kind, std::int64_t at, const DrawnDevice& device);
    void draw_agent_fault();
    bool squeezes(const DrawnDevice& device) const { return slingshot_ && !device.nic; }
    void draw_late_notices(const DrawnDevice& device, std::int64_t at, std::int64_t until);
    void draw_slowness(std::string_view kind, std::int64_t at, std::int64_t until, const DrawnDevice& device);
    void draw_very_late_writes(const DrawnDevice& device, std::int64_t at, std::int64_t until);
    void put_spell(std::int64_t at, std::int64_t until);
    // Retries back off: after a fault, the next one may take as long as the fault lasted.
    void rest_after(std::int64_t at, std::int64_t until) { rest_ = std::max(rest_, 2 * (until - at) + 400); }
    void draw_restart(const DrawnDevice& device, std::int64_t at);
    void draw_death(const DrawnDevice& device, std::int64_t at);
    void draw_start(const DrawnDevice& device, std::int64_t start);
    void draw_change(const DrawnDevice& device, std::int64_t at, std::int64_t until, const std::string& port);
    void draw_order(const DrawnDevice& device, std::int64_t at, std::int64_t until, const std::string& port);
    void end_calmly();

    // --- the manager

    void draw_manager();
    void draw_message_fault();
    void draw_manager_death();

    Chance chance_;
    Draft draft_;
    std::int64_t calm_{};     // in milliseconds, as all times here
    std::int64_t rest_{300};  // the run goes on for this long after the calm
    std::int64_t hosts_{};
    std::int64_t gigabits_{};
    std::int64_t managers_{};
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

}  // namespace petrel::swarm

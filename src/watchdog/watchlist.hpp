// A policy book compiled for one device: the policies checked against the fields and treatments of the device. If the
// device lacks the fields that a policy needs, compile() returns a complaint. If the policy works with another action
// or signal, the watchlist gets a note.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "watchdog/policy.hpp"
#include "watchdog/rule.hpp"

namespace petrel::watchdog {

inline constexpr std::uint16_t kUnwatched = 0xffff;

// A clock is full before its limit by the uncertainty of time stamps, but by at most limit / kMostForgiven.
inline constexpr int kMostForgiven = 4;

// The policy of one row and the action that this device supports for it.
struct Effective {
    std::uint16_t policy{kUnwatched};
    Treatment action{};
};

struct Watchlist {
    Inventory inventory;
    Capabilities capabilities;
    std::vector<Policy> policies;
    std::vector<Run> runs;
    std::vector<Effective> rows;     // rows[slot]
    std::vector<std::string> notes;  // where the effective action or signal differs from the configured one
    std::uint32_t max_mitigated{};
    bool big_red_switch{};
    Duration poll{};  // the shortest of the policies in use, not below the device's refresh
};

// Whether the policy applies to the row, if no later assignment does.
bool wants_row(const Policy&, const Assignment&, const RowInfo&);

Parsed<Watchlist> compile(const PolicyBook&, Inventory, const Capabilities&);

// The next weaker treatment; none if there is none.
Treatment weaker(Treatment);

// The treatment to command next if the device refuses this one: the next weaker one. Of a NIC that does not stop its
// pause: port down, if the policy permits it.
Treatment next_rung(const Policy&, Treatments can, Treatment refused);

}  // namespace petrel::watchdog

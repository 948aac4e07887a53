// A world whose truth is known: for each queue the spans in which it is paused, to the microsecond. It returns what a
// truthful device would return at any time, so that laws can compare the watchdog's decisions with the truth.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "watchdog/intake.hpp"
#include "watchdog/policy.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::test {

struct Span {
    std::int64_t from{};
    std::int64_t to{};  // exclusive
};

class Truth {
public:
    explicit Truth(std::vector<Span> pauses = {}) : pauses_(std::move(pauses)) {}

    const std::vector<Span>& pauses() const { return pauses_; }

    bool paused_at(std::int64_t t) const
    {
        return std::any_of(pauses_.begin(), pauses_.end(), [&](Span s) { return s.from <= t && t < s.to; });
    }

    bool paused_throughout(std::int64_t from, std::int64_t to) const
    {
        return std::any_of(pauses_.begin(), pauses_.end(), [&](Span s) { return s.from <= from && to < s.to; });
    }

    std::int64_t pause_us(std::int64_t from, std::int64_t to) const
    {
        std::int64_t sum = 0;
        for (const auto s : pauses_) {
            sum += std::max<std::int64_t>(0, std::min(s.to, to) - std::max(s.from, from));
        }
        return sum;
    }

    std::int64_t pause_us(std::int64_t until) const { return pause_us(0, until); }
    std::int64_t ended(std::int64_t until) const
    {
        return std::count_if(pauses_.begin(), pauses_.end(), [&](Span s) { return s.to <= until; });
    }

    // One XOFF at the start of a pause and every 300 us while it lasts.
    std::int64_t xoff(std::int64_t until) const
    {
        std::int64_t frames = 0;
        for (const auto s : pauses_) {
            const auto last = std::min(s.to - 1, until);
            frames += last < s.from ? 0 : (last - s.from) / 300 + 1;
        }
        return frames;
    }

private:
    std::vector<Span> pauses_;
};

// One switch with that many queues (priority 3, one per port).
inline watchdog::Inventory small_inventory(std::size_t queues, std::uint64_t bps = 100'000'000'000)
{
    watchdog::Inventory inventory;
    for (std::size_t i = 0; i < queues; ++i) {
        const auto port = static_cast<std::uint16_t>(i);
        inventory.ports.push_back({"Ethernet" + std::to_string(4 * i), "", std::nullopt});
        inventory.rows.push_back({Target{PortId{DeviceId{0}, port}, Priority{3}}, BitRate{bps}, true});
    }
    return inventory;
}

// `ports` rows, one for each port as a whole.
inline watchdog::Inventory port_inventory(std::size_t ports)
{
    auto made = small_inventory(ports);
    for (auto& row : made.rows) {
        row.target.priority.reset();
    }
    return made;
}

inline watchdog::Capabilities able(watchdog::Fields fields)
{
    watchdog::Capabilities c;
    c.fields = fields;
    c.survive = fields;
    c.treatments = ~0U;
    c.port_wide = watchdog::bit(watchdog::Treatment::lossless_off) | watchdog::bit(watchdog::Treatment::squeeze);
    c.reads_back = true;
    return c;
}

inline watchdog::PolicyBook book_of(watchdog::Policy policy)
{
    watchdog::PolicyBook book;
    book.policies.push_back(std::move(policy));
    book.assigned.push_back({0, std::nullopt, std::nullopt});
    return book;
}

}  // namespace petrel::test

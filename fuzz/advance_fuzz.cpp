// Treats any bytes as rows of observations: the vector path of the poll pass must equal its scalar definition bit for
// bit. The first bytes choose the signals and the policy, the rest fills the columns.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/assert.hpp"
#include "watchdog/watchlist.hpp"

namespace {

using namespace petrel;
using namespace petrel::watchdog;

class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

    // Bytes beyond the end are zero.
    template <class T>
    T take()
    {
        T value{};
        const auto n = std::min(sizeof value, left_);
        std::memcpy(&value, at_, n);
        at_ += n;
        left_ -= n;
        return value;
    }
    std::size_t left() const { return left_; }

private:
    const std::uint8_t* at_;
    std::size_t left_;
};

struct Hot {
    std::vector<std::uint32_t> proven, limit, longest;
    std::vector<std::uint8_t> wants_quiet;
    Clocks clocks() { return {proven, limit, wants_quiet, longest}; }
    bool operator==(const Hot&) const = default;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Bytes bytes{data, size};
    Capabilities can;
    can.fields = bytes.take<std::uint16_t>();
    can.survive = bytes.take<std::uint16_t>();
    can.treatments = ~0U;
    can.detects_itself = true;
    PolicyBook book;
    book.policies.push_back(presets()[bytes.take<std::uint8_t>() % presets().size()].policy);
    book.assigned.push_back({0, std::nullopt, std::nullopt});
    auto& policy = book.policies.front();
    const auto flags = bytes.take<std::uint8_t>();
    policy.needs_backlog = (flags & 1U) != 0;
    policy.action = (flags & 2U) != 0 ? Treatment::none : policy.action;
    policy.leak = 1U + (flags >> 2U & 3U);
    policy.slack_ppm = bytes.take<std::uint32_t>() % 100'001;
    policy.floor_ppm = bytes.take<std::uint32_t>() % 100'001;
    Inventory inventory;
    inventory.ports.resize(1);
    const BitRate speed{bytes.take<std::uint64_t>() % 1'600'000'000'001};
    inventory.rows.push_back({Target{PortId{}, Priority{3}}, speed, true});
    inventory.rows.push_back({Target{PortId{}, std::nullopt}, speed, true});
    const auto list = compile(book, inventory, can);
    if (!list || list->runs.empty()) {
        return 0;
    }
    const Rule& rule = list->runs.front().rule;

    const std::uint32_t first = bytes.take<std::uint8_t>();
    std::vector<std::uint32_t> dt(first), known(first);
    std::vector<std::uint8_t> pause(first);
    std::array<std::vector<std::uint32_t>, kFields> values;
    Hot by_row;
    while (bytes.left() > 0) {
        dt.push_back(bytes.take<std::uint32_t>());
        known.push_back(bytes.take<std::uint16_t>() & can.fields);
        pause.push_back(bytes.take<std::uint8_t>());
        by_row.wants_quiet.push_back(bytes.take<std::uint8_t>() % 2 == 0 ? std::uint8_t{0} : kQuietStill);
        by_row.proven.push_back(std::min(bytes.take<std::uint32_t>(), kClockMost));
        by_row.limit.push_back(std::max(bytes.take<std::uint32_t>(), 1U));
        by_row.longest.push_back(std::min(bytes.take<std::uint32_t>(), kClockMost));
        for (std::size_t f = 0; f < kFields; ++f) {
            if ((can.fields >> f & 1U) != 0) {
                values[f].push_back(bytes.take<std::uint32_t>());
            }
        }
    }
    const auto count = static_cast<std::uint32_t>(dt.size()) - first;
    const auto shift = [&](auto& column) { column.insert(column.begin(), first, 0); };
    shift(by_row.proven);
    shift(by_row.limit);
    shift(by_row.longest);
    shift(by_row.wants_quiet);
    Observations seen;
    seen.dt_us = dt;
    seen.known = known;
    seen.pause = pause;
    for (std::size_t f = 0; f < kFields; ++f) {
        if ((can.fields >> f & 1U) != 0) {
            shift(values[f]);
            seen.value[f] = values[f];
        }
    }

    Hot by_run = by_row;
    std::uint32_t least = kNoLimit;
    std::vector<std::uint32_t> left_by_row;
    for (std::uint32_t r = first; r < first + count; ++r) {
        left_by_row.push_back(advance_row(seen, rule, by_row.clocks(), Slot{r}));
        least = std::min(least, left_by_row.back());
    }
    std::vector<std::uint32_t> left(count);
    const auto told = advance(seen, rule, by_run.clocks(), Slot{first}, left);
    PETREL_ASSERT(by_run == by_row, "clocks differ for criterion {}", name(rule.criterion));
    PETREL_ASSERT(left == left_by_row, "times left differ for criterion {}", name(rule.criterion));
    PETREL_ASSERT(told == least, "least time left is {} for {}", told, least);
    return 0;
}

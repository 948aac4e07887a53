// The vector path against its definition: advance() over a range of rows must give the same clocks and the same result
// as advance_row() for each of them, for every rule that compile() can make and for values at every limit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "support/world.hpp"
#include "watchdog/rule.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel {
namespace {

using namespace watchdog;

// A kind of rule, and the columns of a device that lead to it.
struct Kind {
    Rule rule;
    Fields fields{};
};

auto shape(const Kind& kind)
{
    const auto& r = kind.rule;
    return std::tuple{r.criterion,
                      r.source,
                      r.quiet_survives,
                      r.backlog,
                      r.sends,
                      r.sends && r.in_bytes,
                      has(kind.fields, Field::pause_us)};
}

// All kinds of rules that compile() makes for all sets of signals, each once.
const std::vector<Kind>& all_kinds()
{
    static const auto kinds = [] {
        constexpr std::array kSignals{Field::pause_state, Field::paused_now, Field::pause_us,    Field::on2off,
                                      Field::rx_xoff,     Field::tx_packets, Field::tx_bytes,    Field::occupancy,
                                      Field::rx_packets,  Field::pause_tx,   Field::pause_tx_us, Field::pause_timeout};
        auto inventory = test::small_inventory(1);
        inventory.rows.push_back({Target{PortId{}, std::nullopt}, inventory.rows[0].speed, true});
        std::vector<Kind> found;
        const auto add = [&](Policy policy, Fields fields, bool backlog, bool alert, bool survives) {
            auto can = test::able(fields);
            can.survive = survives ? fields : 0;
            can.detects_itself = true;
            policy.needs_backlog = backlog;
            policy.action = alert ? Treatment::none : policy.action;
            const auto list = compile(test::book_of(std::move(policy)), inventory, can);
            if (!list || list->runs.empty()) {
                return;
            }
            const Kind kind{list->runs.front().rule, fields};
            if (std::none_of(found.begin(), found.end(), [&](const Kind& k) { return shape(k) == shape(kind); })) {
                found.push_back(kind);
            }
        };
        for (Fields pick = 1; pick < 1U << kSignals.size(); ++pick) {
            Fields fields = 0;
            for (std::size_t i = 0; i < kSignals.size(); ++i) {
                fields |= (pick >> i & 1U) != 0 ? bit(kSignals[i]) : 0U;
            }
            for (const auto& preset : presets()) {
                for (const unsigned bits : {0U, 1U, 2U, 3U, 5U}) {
                    add(preset.policy, fields, (bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) == 0);
                }
            }
            if (pick == 1) {
                Policy by_device = find_preset("sai")->policy;
                by_device.criterion = Criterion::device;
                add(by_device, fields, false, false, true);
            }
        }
        return found;
    }();
    return kinds;
}

// Random columns, each with exactly the stated size, so that a sanitizer detects an access beyond the end.
class Rows {
public:
    Rows(Fields fields, std::uint32_t count, std::uint64_t seed)
        : random_(seed), dt_(count), known_(count), pause_(count)
    {
        proven_.resize(count);
        limit_.resize(count);
        longest_.resize(count);
        wants_quiet_.resize(count);
        for (std::size_t f = 0; f < kFields; ++f) {
            values_[f].resize((fields >> f & 1U) != 0 ? count : 0);
        }
        for (std::uint32_t r = 0; r < count; ++r) {
            fill(r, fields);
        }
        seen_.dt_us = dt_;
        seen_.known = known_;
        seen_.pause = pause_;
        for (std::size_t f = 0; f < kFields; ++f) {
            seen_.value[f] = values_[f];
        }
    }

    const Observations& seen() const { return seen_; }

    struct Hot {
        std::vector<std::uint32_t> proven, limit, longest;
        std::vector<std::uint8_t> wants_quiet;
        Clocks clocks() { return {proven, limit, wants_quiet, longest}; }
        bool operator==(const Hot&) const = default;
    };
    Hot hot() const { return {proven_, limit_, longest_, wants_quiet_}; }

private:
    bool chance(unsigned in) { return random_() % in == 0; }

    // Mostly close to a value that the code compares with.
    std::uint32_t edge(std::uint32_t near)
    {
        const auto off = static_cast<std::uint32_t>(random_() % 5) - 2U;  // wraps around zero on purpose
        switch (random_() % 8) {
        case 0: return 0;
        case 1: return near + off;
        case 2: return near / 2 + off;
        case 3: return kClockMost + off;
        case 4: return kNoLimit;
        case 5: return near - near / 64 + off;
        case 6: return static_cast<std::uint32_t>(random_() % 1'000);
        default: return static_cast<std::uint32_t>(random_());
        }
    }

    void fill(std::uint32_t r, Fields fields)
    {
        dt_[r] = chance(6) ? 0 : (chance(4) ? edge(100'000) : static_cast<std::uint32_t>(random_() % 200'000 + 1));
        known_[r] = chance(3) ? static_cast<Fields>(random_()) & fields : fields;
        known_[r] |= (chance(4) ? kBroken : 0U) | (chance(2) ? kKeepsPausing : 0U);
        pause_[r] = static_cast<std::uint8_t>(random_());
        for (auto& column : values_) {
            if (!column.empty()) {
                column[r] = chance(2) ? edge(dt_[r]) : dt_[r];
            }
        }
        limit_[r] = chance(4) ? kNoLimit : std::max(1U, std::min(edge(400'000), kClockMost));
        proven_[r] = std::min(chance(3) ? 0U : edge(limit_[r]), kClockMost);
        longest_[r] = std::min(edge(proven_[r]), kClockMost);
        wants_quiet_[r] = chance(3) ? (chance(2) ? kQuiet : kQuietStill) : std::uint8_t{0};
    }

    std::mt19937_64 random_;
    std::vector<std::uint32_t> dt_;
    std::vector<Fields> known_;
    std::vector<std::uint8_t> pause_;
    std::array<std::vector<std::uint32_t>, kFields> values_;
    std::vector<std::uint32_t> proven_, limit_, longest_;
    std::vector<std::uint8_t> wants_quiet_;
    Observations seen_;
};

std::uint64_t rows_compared = 0;

void compare(const Kind& kind, std::uint32_t total, std::uint32_t first, std::uint32_t count, std::uint64_t seed)
{
    const Rows rows{kind.fields, total, seed};
    auto by_row = rows.hot();
    auto by_run = rows.hot();
    std::uint32_t least = kNoLimit;
    std::vector<std::uint32_t> left_by_row;
    for (std::uint32_t r = first; r < first + count; ++r) {
        left_by_row.push_back(advance_row(rows.seen(), kind.rule, by_row.clocks(), Slot{r}));
        least = std::min(least, left_by_row.back());
    }
    std::vector<std::uint32_t> left(count);
    const auto next_full = advance(rows.seen(), kind.rule, by_run.clocks(), Slot{first}, left);
    rows_compared += count;
    for (std::uint32_t r = 0; r < total; ++r) {
        if (by_run.proven[r] != by_row.proven[r] || by_run.longest[r] != by_row.longest[r]) {
            RC_FAIL("criterion " + std::string{name(kind.rule.criterion)} + ", row " + std::to_string(r) + ": proven " +
                    std::to_string(by_run.proven[r]) + " for " + std::to_string(by_row.proven[r]) + ", longest " +
                    std::to_string(by_run.longest[r]) + " for " + std::to_string(by_row.longest[r]));
        }
    }
    RC_ASSERT(by_run == by_row);
    RC_ASSERT(left == left_by_row);
    RC_ASSERT(next_full == least);
}

Rule with_numbers(Rule rule)
{
    // Shares that a policy may have, and the limits.
    rule.slack_per_64k = *rc::gen::element(0U, 1U, 655U, 6'553U);
    rule.floor_per_64k_us = *rc::gen::element(0U, 1U, 88U, 819'200U, 0xffff'ffffU);
    rule.leak = *rc::gen::inRange(1U, 5U);
    return rule;
}

TEST(AdvanceEqualsAdvanceRow, EveryShapeOfRuleIsMet)
{
    // continuous and stalled and progress by two sources, receive_stall by two, pause_timeout, device; with their
    // options.
    const auto met = [](Criterion c, Source s) {
        const auto& kinds = all_kinds();
        return std::count_if(kinds.begin(), kinds.end(),
                             [&](const Kind& k) { return k.rule.criterion == c && k.rule.source == s; });
    };
    EXPECT_GE(met(Criterion::continuous, Source::state), 4) << "with and without pause time, and quiet bits";
    EXPECT_GE(met(Criterion::continuous, Source::duration), 2);
    for (const auto source : {Source::state, Source::duration}) {
        EXPECT_GE(met(Criterion::stalled, source), 6) << "backlog or not, progress in bytes, in packets or unknown";
        EXPECT_GE(met(Criterion::progress, source), 4);
        EXPECT_GE(met(Criterion::receive_stall, source), 1);
    }
    EXPECT_GE(met(Criterion::pause_timeout, Source::none), 1);
    EXPECT_GE(met(Criterion::device, Source::state), 1);
}

TEST(AdvanceEqualsAdvanceRow, OverAMillionRows)
{
    rows_compared = 0;
    for (const auto& kind : all_kinds()) {
        const auto ok = rc::check([&] {
            const Kind varied{with_numbers(kind.rule), kind.fields};
            const auto total = *rc::gen::inRange<std::uint32_t>(1, 700);
            const auto first = *rc::gen::inRange<std::uint32_t>(0, total);
            const auto count = *rc::gen::inRange<std::uint32_t>(0, total - first + 1);
            compare(varied, total, first, count, *rc::gen::arbitrary<std::uint64_t>());
        });
        ASSERT_TRUE(ok) << name(kind.rule.criterion);
        // RapidCheck starts with small sizes, so compare one long range as well.
        std::uint64_t seed = rows_compared;
        ASSERT_NO_THROW(compare(kind, 20'011, 7, 20'001, seed));
    }
    EXPECT_GE(rows_compared, 1'000'000U);
}

}  // namespace
}  // namespace petrel

// The raw counters that the Intake shows: as last read, whatever their differences prove.
#include <gtest/gtest.h>

#include "reader.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using test::Reader;
using test::sample;

TEST(IntakeCounts, AreTheLastKnownOnes)
{
    Reader row{bit(Field::paused_now) | bit(Field::rx_pfc) | bit(Field::pause_tx) | bit(Field::on2off) |
               bit(Field::pause_us) | bit(Field::tx_packets)};
    EXPECT_FALSE(row.intake().pfc_counts(Slot{0}).rx_frames) << "the counter was never read";
    row.read({1'000, {{Field::rx_pfc, 5}, {Field::pause_us, 900}}});
    row.read({2'000,
              {{Field::paused_now, 1},
               {Field::rx_pfc, 1ULL << 40U},
               {Field::pause_tx, 7},
               {Field::on2off, 8},
               {Field::pause_us, 3},  // reset since: there is no difference, but the value is shown
               {Field::tx_packets, 99}}});
    const auto counts = row.intake().pfc_counts(Slot{0});
    EXPECT_EQ(counts.read_at, instant_from_us(2'000));
    EXPECT_EQ(counts.paused, true);
    EXPECT_EQ(counts.rx_frames, 1ULL << 40U);
    EXPECT_EQ(counts.tx_frames, 7U);
    EXPECT_EQ(counts.pauses_ended, 8U);
    EXPECT_EQ(counts.pause_us, 3U);

    row.read({3'000, {{Field::paused_now, 0}, {Field::pause_tx, 9}}});
    const auto later = row.intake().pfc_counts(Slot{0});
    EXPECT_EQ(later.paused, false);
    EXPECT_EQ(later.tx_frames, 9U);
    EXPECT_FALSE(later.rx_frames) << "the counter was not in the last sample";
    EXPECT_FALSE(later.pause_us);
}

TEST(IntakeCounts, XoffAndXonFramesAreAdded)
{
    Reader row{bit(Field::rx_xoff) | bit(Field::rx_xon)};
    row.read({1'000, {{Field::rx_xoff, 5}, {Field::rx_xon, 2}}});
    EXPECT_EQ(row.intake().pfc_counts(Slot{0}).rx_frames, 7U);
    row.read({2'000, {{Field::rx_xoff, 6}}});
    EXPECT_FALSE(row.intake().pfc_counts(Slot{0}).rx_frames);
}

TEST(IntakeCounts, EachRowHasItsOwn)
{
    Reader rows{bit(Field::rx_pfc) | bit(Field::pause_us), 3};
    rows.intake().begin();
    for (std::uint32_t row = 0; row != 3; ++row) {
        rows.intake().put(sample(row, {1'000, {{Field::rx_pfc, row + 10}, {Field::pause_us, row + 20}}}));
    }
    EXPECT_EQ(rows.intake().pfc_counts(Slot{1}).rx_frames, 11U);
    EXPECT_EQ(rows.intake().pfc_counts(Slot{2}).pause_us, 22U);
}

}  // namespace
}  // namespace petrel

// The accounting of the shared buffer: after any sequence of admitted and released frames, the pools hold exactly the
// bytes of the groups.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <deque>
#include <vector>

#include "twin/buffer.hpp"

namespace petrel::twin {
namespace {

Limit any_limit()
{
    return {*rc::gen::element(Limit::Mode::dynamic, Limit::Mode::fixed, Limit::Mode::none),
            *rc::gen::inRange<std::int8_t>(-8, 9), *rc::gen::inRange(0U, 60'000U)};
}

IngressGroup any_group()
{
    IngressGroup g;
    g.reserved = *rc::gen::inRange(0U, 5'000U);
    g.headroom_limit = *rc::gen::inRange(0U, 30'000U);
    g.xon = *rc::gen::inRange(0U, 5'000U);
    g.xon_offset = *rc::gen::inRange(0U, 5'000U);
    g.limit = any_limit();
    g.lossless = *rc::gen::arbitrary<bool>();
    return g;
}

RC_GTEST_PROP(IngressGroup, PoolsHoldWhatTheGroupsHold, ())
{
    Pool shared{.size = *rc::gen::inRange<std::uint64_t>(0, 200'000)};
    Pool headroom{.size = *rc::gen::inRange<std::uint64_t>(0, 50'000)};
    std::array<IngressGroup, 4> groups{any_group(), any_group(), any_group(), any_group()};
    std::array<std::vector<std::uint32_t>, 4> inside;
    const auto balanced = [&] {
        std::uint64_t in_shared = 0;
        std::uint64_t in_headroom = 0;
        for (std::size_t i = 0; i != groups.size(); ++i) {
            std::uint64_t sum = 0;
            for (auto size : inside[i])
                sum += size;
            RC_ASSERT(groups[i].bytes + groups[i].headroom == sum);
            RC_ASSERT(groups[i].headroom <= groups[i].headroom_limit);
            in_shared += groups[i].shared();
            in_headroom += groups[i].headroom;
        }
        RC_ASSERT(shared.used == in_shared);
        RC_ASSERT(headroom.used == in_headroom);
        RC_ASSERT(headroom.used <= headroom.size);
        RC_ASSERT(shared.peak >= shared.used);
    };

    const auto steps = *rc::gen::inRange(0, 400);
    for (int i = 0; i != steps; ++i) {
        const auto g = *rc::gen::inRange<std::size_t>(0, groups.size());
        const auto size = *rc::gen::inRange(64U, 9'217U);
        const std::uint64_t limit = threshold(groups[g].limit, shared);
        const std::uint64_t would_share = std::max(groups[g].bytes + size, groups[g].reserved) - groups[g].reserved;
        if (*rc::gen::inRange(0, 3) != 0) {
            const bool lossless_room =
                groups[g].lossless && groups[g].headroom + size <= groups[g].headroom_limit && size <= headroom.free();
            const bool admitted = groups[g].admit(size, shared, headroom);
            RC_ASSERT(admitted == (would_share == 0 || would_share <= limit || lossless_room));
            if (admitted)
                inside[g].push_back(size);
        } else if (!inside[g].empty()) {
            const auto which = *rc::gen::inRange<std::size_t>(0, inside[g].size());
            groups[g].release(inside[g][which], shared, headroom);
            inside[g].erase(inside[g].begin() + static_cast<std::ptrdiff_t>(which));
        } else {
            groups[g].limit = any_limit();  // alpha changes while traffic runs
        }
        balanced();
        if (groups[g].must_pause(shared))
            groups[g].xoff = true;
        else if (groups[g].may_resume(shared))
            groups[g].xoff = false;
        RC_ASSERT(!groups[g].lossless || groups[g].xoff || groups[g].headroom == 0);
    }
    for (std::size_t i = 0; i != groups.size(); ++i) {
        for (auto size : inside[i])
            groups[i].release(size, shared, headroom);
        inside[i].clear();
        RC_ASSERT(!groups[i].xoff || groups[i].may_resume(shared));  // an empty group may always resume
    }
    balanced();
}

TEST(IngressGroup, PausesAboveTheThresholdAndResumesBelowTheOffset)
{
    Pool shared{.size = 100'000};
    Pool headroom{.size = 10'000};
    IngressGroup g;
    g.limit = {Limit::Mode::fixed, 0, 5'000};
    g.xon_offset = 2'000;
    g.headroom_limit = 10'000;
    g.lossless = true;
    for (int i = 0; i != 5; ++i) {
        ASSERT_TRUE(g.admit(1'000, shared, headroom));
        EXPECT_FALSE(g.must_pause(shared)) << i;
    }
    ASSERT_TRUE(g.admit(1'000, shared, headroom));
    EXPECT_EQ(g.headroom, 1'000U);
    ASSERT_TRUE(g.must_pause(shared));
    g.xoff = true;
    EXPECT_FALSE(g.must_pause(shared)) << "the group requests a pause once";
    g.release(1'000, shared, headroom);
    EXPECT_EQ(g.headroom, 0U) << "headroom is freed first";
    EXPECT_FALSE(g.may_resume(shared)) << "at the threshold";
    g.release(1'999, shared, headroom);
    EXPECT_FALSE(g.may_resume(shared));
    g.release(1, shared, headroom);
    EXPECT_TRUE(g.may_resume(shared)) << "2,000 below";
    g.xon = 4'000;
    ASSERT_TRUE(g.admit(1'000, shared, headroom));
    EXPECT_TRUE(g.may_resume(shared)) << "xon is the larger of the two";
}

TEST(Threshold, AlphaIsAPowerOfTwoTimesTheFreeBytes)
{
    Pool pool{.size = 1'000'000, .used = 200'000};
    EXPECT_EQ(threshold({Limit::Mode::dynamic, 0, 0}, pool), 800'000U);
    EXPECT_EQ(threshold({Limit::Mode::dynamic, -3, 0}, pool), 100'000U);
    EXPECT_EQ(threshold({Limit::Mode::dynamic, -8, 0}, pool), 3'125U);
    EXPECT_EQ(threshold({Limit::Mode::dynamic, 8, 0}, pool), 204'800'000U);
    EXPECT_EQ(threshold({Limit::Mode::fixed, 0, 42}, pool), 42U);
    pool.used = 1'000'001;  // over-committed
    EXPECT_EQ(threshold({Limit::Mode::dynamic, 8, 0}, pool), 0U);
}

}  // namespace
}  // namespace petrel::twin

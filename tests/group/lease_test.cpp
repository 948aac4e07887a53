#include "group/lease.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace petrel::group {
namespace {

using namespace std::chrono_literals;

constexpr Instant kBegin{100s};

TEST(Lease, AnEmptyCellIsFreeAndAnotherManagersIsNot)
{
    Lease lease{"a"};
    EXPECT_FALSE(lease.bid(kBegin)) << "the cell was not seen";
    lease.seen(0, "", kBegin);
    EXPECT_EQ(lease.bid(kBegin), 0U);
    lease.seen(1, "b", kBegin);
    EXPECT_FALSE(lease.bid(kBegin));
    EXPECT_FALSE(lease.mine());
    lease.seen(2, "", kBegin + 1s);
    EXPECT_EQ(lease.bid(kBegin + 1s), 2U) << "its manager has ended in order";
}

TEST(Lease, AHolderRenewsItsOwnCell)
{
    Lease lease{"a"};
    lease.seen(0, "", kBegin);
    lease.replaced(1, kBegin);
    EXPECT_TRUE(lease.mine());
    EXPECT_EQ(lease.bid(kBegin + 1s), 1U);
    EXPECT_FALSE(lease.over(kBegin + Lease::kLife - 1ns));
    EXPECT_TRUE(lease.over(kBegin + Lease::kLife)) << "it was not renewed";
    lease.replaced(2, kBegin + 1s);
    EXPECT_FALSE(lease.over(kBegin + Lease::kLife));
    lease.seen(3, "b", kBegin + 2s);
    EXPECT_FALSE(lease.mine());
}

TEST(Lease, ACellThatDoesNotChangeBecomesFree)
{
    Lease lease{"a"};
    auto now = kBegin;
    lease.seen(7, "b", now);
    for (; now < kBegin + Lease::kLife; now += 1s) {
        lease.seen(7, "b", now);
        EXPECT_FALSE(lease.bid(now));
    }
    lease.seen(7, "b", now);
    EXPECT_EQ(lease.bid(now), 7U);
    lease.seen(8, "b", now);
    EXPECT_FALSE(lease.bid(now)) << "it was renewed";
}

// Nobody can renew a cell that cannot be read: the time counts from when it can.
TEST(Lease, TimeWithoutSightOfTheCellDoesNotCount)
{
    Lease lease{"a"};
    lease.seen(7, "b", kBegin);
    lease.not_seen();
    EXPECT_FALSE(lease.bid(kBegin + 60s));
    lease.seen(7, "b", kBegin + 60s);
    EXPECT_FALSE(lease.bid(kBegin + 60s));
    EXPECT_TRUE(lease.over(kBegin + 60s));
    lease.seen(7, "b", kBegin + 60s + Lease::kLife);
    EXPECT_EQ(lease.bid(kBegin + 60s + Lease::kLife), 7U);
}

// Three managers at one cell that accepts the right revision only. One after the other dies: there is another leader
// after a life and a look, and never two that the cell names.
TEST(Lease, OneOfTheLivingLeads)
{
    std::array<Lease, 3> managers{Lease{"a"}, Lease{"b"}, Lease{"c"}};
    std::uint64_t revision = 0;
    std::string holder;
    std::array<bool, 3> alive{true, true, true};
    auto now = kBegin;
    for (int deaths = 0; deaths != 3; ++deaths) {
        const auto until = now + Lease::kLife + Lease::kLookEvery;
        for (; now <= until; now += 100ms) {
            for (std::size_t i = 0; i != managers.size(); ++i) {
                if (!alive.at(i)) {
                    continue;
                }
                auto& lease = managers.at(i);
                lease.seen(revision, holder, now);
                if (const auto bid = lease.bid(now); bid == revision) {
                    holder = std::string(1, static_cast<char>('a' + i));
                    lease.replaced(++revision, now);
                }
                EXPECT_EQ(lease.mine(), holder == std::string(1, static_cast<char>('a' + i)));
            }
        }
        const auto leader = static_cast<std::size_t>(holder.at(0) - 'a');
        EXPECT_TRUE(alive.at(leader)) << deaths;
        alive.at(leader) = false;
    }
}

}  // namespace
}  // namespace petrel::group

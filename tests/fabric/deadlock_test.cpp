// A deadlock is the largest set of queues that hold each other. Small cases by hand, and random fabrics compared with
// the definition, which tries every set.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fabric/deadlock.hpp"

namespace petrel::fabric {
namespace {

using Set = std::vector<std::uint32_t>;

// Resumes at 10 bytes, for any use of the pool.
Ingress ingress(std::vector<Ingress::Share> waits_in)
{
    return {std::move(waits_in), 0, 0, 0, [](std::uint64_t) { return std::uint64_t{10}; }};
}

// Queue i of a ring fills ingress i, whose bytes wait in queue i + 1.
struct Ring {
    std::vector<WaitingQueue> queues;
    std::vector<Ingress> ingresses;
};

Ring ring(std::uint32_t size, std::uint64_t bytes)
{
    Ring made;
    for (std::uint32_t i = 0; i < size; ++i) {
        made.queues.push_back({true, i});
        made.ingresses.push_back(ingress({{(i + 1) % size, bytes}}));
    }
    return made;
}

Set deadlock(const Ring& ring) { return confirmed_deadlock(ring.queues, ring.ingresses); }

TEST(Deadlock, AnEmptyFabricHasNone) { EXPECT_EQ(confirmed_deadlock({}, {}), Set{}); }

TEST(Deadlock, AFullRingIsOne)
{
    EXPECT_EQ(deadlock(ring(2, 11)), (Set{0, 1}));
    EXPECT_EQ(deadlock(ring(5, 11)), (Set{0, 1, 2, 3, 4}));
}

// At 10 bytes the sender may resume.
TEST(Deadlock, ADrainingRingIsNone) { EXPECT_EQ(deadlock(ring(3, 10)), Set{}); }

TEST(Deadlock, AQueueThatCanSendBreaksTheRing)
{
    auto one_moves = ring(4, 1000);
    one_moves.queues[2].stuck = false;
    EXPECT_EQ(deadlock(one_moves), Set{});
}

// A queue that leads to a host resumes when the host is done.
TEST(Deadlock, TheIngressOfAHostBlocksNoQueue)
{
    auto to_host = ring(3, 1000);
    to_host.queues[1].neighbour = std::nullopt;
    EXPECT_EQ(deadlock(to_host), Set{});
}

TEST(Deadlock, AQueueThatWaitsForADeadlockBelongsToIt)
{
    auto tail = ring(3, 11);
    tail.queues.push_back({true, 3});
    tail.ingresses.push_back(ingress({{0, 11}}));
    tail.queues.push_back({true, 4});
    tail.ingresses.push_back(ingress({{3, 11}}));
    EXPECT_EQ(deadlock(tail), (Set{0, 1, 2, 3, 4}));
}

// Most bytes that hold the link wait in queues that drain. The remaining bytes are too few to hold it.
TEST(Deadlock, OnlyBytesThatWaitInTheSetCount)
{
    auto made = ring(3, 10);
    made.queues.push_back({false, std::nullopt});
    for (auto& one : made.ingresses) {
        one.waits_in.push_back({3, 1'000'000});
    }
    EXPECT_EQ(deadlock(made), Set{});
    made.ingresses[0].waits_in[0].bytes = 11;
    EXPECT_EQ(deadlock(made), Set{});
    made.ingresses[1].waits_in[0].bytes = 11;
    made.ingresses[2].waits_in[0].bytes = 11;
    EXPECT_EQ(deadlock(made), (Set{0, 1, 2}));
}

TEST(Deadlock, TwoRingsAreReportedTogether)
{
    auto both = ring(2, 11);
    for (const std::uint32_t i : {2U, 3U}) {
        both.queues.push_back({true, i});
        both.ingresses.push_back(ingress({{i == 2 ? 3U : 2U, 11}}));
    }
    EXPECT_EQ(deadlock(both), (Set{0, 1, 2, 3}));
    both.ingresses[3].waits_in[0].bytes = 1;
    EXPECT_EQ(deadlock(both), (Set{0, 1}));
}

// A pool of 100 bytes is shared with a link whose 60 bytes drain. A link resumes at (100 - used) / 4. The ring has 20
// bytes in each of two queues: when only its 40 bytes are in use, the level is 15, and no queue resumes. With a pool of
// 120 bytes the level is 20.
TEST(Deadlock, BytesThatLeaveThePoolRaiseTheThreshold)
{
    const auto with_pool = [](std::uint64_t size) {
        auto made = ring(2, 20);
        made.queues.push_back({false, std::nullopt});
        made.ingresses.push_back(ingress({{2, 60}}));
        for (auto& one : made.ingresses) {
            one.shared = 1000;
            one.resumes_below = [size](std::uint64_t used) { return size > used ? (size - used) / 4 : 0; };
        }
        return made;
    };
    EXPECT_EQ(deadlock(with_pool(100)), (Set{0, 1}));
    // Now 100 of 120 bytes are in use and the level is 5. Without the 60 bytes that drain it is 20.
    EXPECT_EQ(deadlock(with_pool(120)), Set{});
    EXPECT_EQ(deadlock(with_pool(119)), (Set{0, 1}));
}

TEST(Deadlock, ReservedBytesOfALinkAreNotInThePool)
{
    auto made = ring(2, 20);
    for (auto& one : made.ingresses) {
        one.reserved = 15;
        one.shared = 5;
        one.resumes_below = [](std::uint64_t used) { return used >= 10 ? 19U : 20U; };
    }
    EXPECT_EQ(deadlock(made), (Set{0, 1}));
    made.ingresses[0].reserved = 16;  // 4 + 5 in the pool
    EXPECT_EQ(deadlock(made), Set{});
    made.ingresses[0].reserved = 0;
    EXPECT_EQ(deadlock(made), (Set{0, 1}));
    made.ingresses[0].shared = 4;  // 4 + 5: bytes in headroom are not in the pool either
    EXPECT_EQ(deadlock(made), Set{});
}

TEST(Deadlock, PoolsAreIndependent)
{
    auto made = ring(2, 20);
    for (std::uint32_t i = 0; i < 2; ++i) {
        made.ingresses[i].shared = 20;
        made.ingresses[i].pool = 3 * i;
        made.ingresses[i].resumes_below = [](std::uint64_t used) { return used > 20 ? 0U : 20U; };
    }
    EXPECT_EQ(deadlock(made), Set{});
    made.ingresses[1].pool = 0;
    EXPECT_EQ(deadlock(made), (Set{0, 1}));
    // Only the bytes in a pool count as its use.
    for (std::uint32_t i = 0; i < 2; ++i) {
        made.ingresses[i].pool = 3 * i;
        made.ingresses[i].resumes_below = [](std::uint64_t used) { return used < 20 ? 20U : 0U; };
    }
    EXPECT_EQ(deadlock(made), (Set{0, 1}));
}

// The definition: each queue of the set is held by the bytes that wait in the set, at the pool use that they cause.
bool holds_itself(const Ring& fabric, unsigned set)
{
    const auto in = [&](std::uint32_t queue) { return (set >> queue & 1U) != 0; };
    const auto held = [&](const Ingress& one) {
        std::uint64_t bytes = 0;
        for (const auto& share : one.waits_in) {
            bytes += in(share.queue) ? share.bytes : 0;
        }
        return bytes;
    };
    for (std::uint32_t i = 0; i < fabric.queues.size(); ++i) {
        const auto& queue = fabric.queues[i];
        if (!in(i)) {
            continue;
        }
        if (!queue.stuck || !queue.neighbour) {
            return false;
        }
        const auto& own = fabric.ingresses[*queue.neighbour];
        std::uint64_t used = 0;
        for (const auto& other : fabric.ingresses) {
            const auto bytes = held(other);
            used += other.pool == own.pool ? std::min(other.shared, bytes - std::min(bytes, other.reserved)) : 0;
        }
        if (held(own) <= own.resumes_below(used)) {
            return false;
        }
    }
    return true;
}

rc::Gen<Ring> any_fabric()
{
    constexpr int kFullRange = 100;  // otherwise most numbers would be tiny, and every fabric would drain
    return rc::gen::resize(
        kFullRange, rc::gen::exec([] {
            Ring fabric;
            const auto count = *rc::gen::inRange<std::uint32_t>(1, 8);
            for (std::uint32_t i = 0; i < count; ++i) {
                const auto neighbour = *rc::gen::inRange<std::uint32_t>(0, count + 1);
                fabric.queues.push_back({*rc::gen::weightedElement<bool>({{9, true}, {1, false}}),
                                         neighbour == count ? std::nullopt : std::optional{neighbour}});
                Ingress one;
                const auto shares = *rc::gen::inRange(0, 4);
                for (int j = 0; j < shares; ++j) {
                    one.waits_in.push_back(
                        {*rc::gen::inRange<std::uint32_t>(0, count), *rc::gen::inRange<std::uint64_t>(0, 40)});
                }
                one.reserved = *rc::gen::inRange<std::uint64_t>(0, 10);
                one.shared = *rc::gen::inRange<std::uint64_t>(0, 60);
                one.pool = *rc::gen::inRange<std::uint32_t>(0, 2);
                const auto size = *rc::gen::inRange<std::uint64_t>(0, 120);
                const auto least = *rc::gen::inRange<std::uint64_t>(0, 10);
                one.resumes_below = [size, least](std::uint64_t used) {
                    return std::max(least, size > used ? (size - used) / 4 : 0);
                };
                fabric.ingresses.push_back(std::move(one));
            }
            return fabric;
        }));
}

RC_GTEST_PROP(DeadlockLaw, FindsTheLargestSetThatHoldsItself, ())
{
    const auto fabric = *any_fabric();
    unsigned greatest = 0;
    for (unsigned set = 0; set < 1U << fabric.queues.size(); ++set) {
        greatest |= holds_itself(fabric, set) ? set : 0;
    }
    unsigned found = 0;
    for (const auto queue : deadlock(fabric)) {
        RC_ASSERT((found >> queue) == 0U);  // ascending
        found |= 1U << queue;
    }
    RC_CLASSIFY(found != 0);
    RC_ASSERT(found == greatest);
}

// Leaving out bytes never adds a deadlock.
RC_GTEST_PROP(DeadlockLaw, LeavingQueuesOutNeverCreatesOne, ())
{
    const auto fabric = *any_fabric();
    auto less = fabric;
    auto& victim = less.ingresses[*rc::gen::inRange<std::size_t>(0, less.ingresses.size())];
    if (!victim.waits_in.empty()) {
        victim.waits_in.pop_back();
    }
    const auto all = deadlock(fabric);
    const auto some = deadlock(less);
    RC_ASSERT(std::includes(all.begin(), all.end(), some.begin(), some.end()));
}

}  // namespace
}  // namespace petrel::fabric

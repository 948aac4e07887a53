#include "uplink/busy_queues.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petrel::uplink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

QueueSample queue(std::size_t port, std::uint64_t paused_us, std::uint64_t rx_pfc = 0)
{
    return {"leaf3", fmt::format("Ethernet{}", port), 3, 1000, paused_us, 0, rx_pfc};
}

TEST(BusyQueues, only_queues_that_paused_since_the_last_choice_are_chosen_the_busiest_first)
{
    BusyQueues busy;
    EXPECT_THAT(busy.choose({queue(0, 5), queue(1, 5), queue(2, 5), queue(3, 0, 1)}), IsEmpty())
        << "nothing is known about the time before";
    EXPECT_THAT(busy.choose({queue(0, 5), queue(1, 9), queue(2, 20), queue(3, 0, 2)}),
                ElementsAre(queue(2, 20), queue(1, 9), queue(3, 0, 2)));
    EXPECT_THAT(busy.choose({queue(0, 5), queue(1, 9), queue(2, 20), queue(3, 0, 2)}), IsEmpty());
}

TEST(BusyQueues, more_than_256_become_a_sum_that_counts_on)
{
    BusyQueues busy;
    const auto all = [](std::uint64_t factor) {
        std::vector<QueueSample> samples;
        for (std::size_t i = 0; i != BusyQueues::kMost + 10; ++i) {
            samples.push_back(queue(i, factor * (1000 + i)));
        }
        return samples;
    };
    busy.choose(all(0));
    const auto first = busy.choose(all(1));
    ASSERT_EQ(first.size(), BusyQueues::kMost + 1);
    const auto rest = 10 * 1000U + 45U;  // queues 0 to 9
    EXPECT_EQ(first.back(), (QueueSample{"leaf3", "*", 0, 1000, rest, 0, 0}));
    EXPECT_EQ(busy.choose(all(2)).back().paused_us, 2 * rest);
}

TEST(BusyQueues, a_counter_that_was_cleared_counts_from_zero)
{
    BusyQueues busy;
    busy.choose({queue(0, 100)});
    EXPECT_THAT(busy.choose({queue(0, 7)}), ElementsAre(queue(0, 7)));
}

}  // namespace
}  // namespace petrel::uplink

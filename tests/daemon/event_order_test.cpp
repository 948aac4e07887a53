#include "daemon/event_order.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace petrel::daemon {
namespace {

using Events = std::deque<runtime::StoredEvent>;

runtime::StoredEvent stored(std::uint64_t seq, std::int64_t time_us, int device)
{
    return {seq, fmt::format(R"({{"seq":{},"time_us":{},"event":"x","device":"sw{}"}})", seq, time_us, device)};
}

// There are enough events that an unstable sort would reorder them.
TEST(EventOrder, EventsOfTheSameMicrosecondStayInTheirOrder)
{
    Events events;
    for (std::uint64_t seq = 1; seq != 200; ++seq) {
        events.push_back(stored(seq, 1'800'000'000'000'000 + static_cast<std::int64_t>(seq / 50), 1));
    }
    const std::vector<const Events*> devices{&events};
    std::uint64_t last = 0;
    for (const auto* event : in_order(devices)) {
        EXPECT_EQ(event->seq, ++last);
    }
    EXPECT_EQ(last, 199U);
}

TEST(EventOrder, AClockThatIsSetBackDoesNotReorderEvents)
{
    const Events events{stored(7, 2000, 1), stored(8, 1000, 1), stored(9, 3000, 1)};
    const Events others{stored(1, 1500, 2), stored(2, 2500, 2)};
    const std::vector<const Events*> devices{&events, &others};
    std::vector<std::uint64_t> seqs;
    for (const auto* event : in_order(devices)) {
        seqs.push_back(event->seq);
    }
    EXPECT_EQ(seqs, (std::vector<std::uint64_t>{1, 7, 8, 2, 9}));
}

RC_GTEST_PROP(EventOrderLaw, SequenceNumbersOfADeviceGrow, ())
{
    std::vector<Events> all(*rc::gen::inRange<std::size_t>(1, 4));
    std::size_t count = 0;
    for (std::size_t device = 0; device != all.size(); ++device) {
        std::int64_t time = 0;
        for (int seq = 1; seq <= *rc::gen::inRange(0, 60); ++seq) {
            time += *rc::gen::element(0, 0, 1, 5, -3);
            all[device].push_back(stored(static_cast<std::uint64_t>(seq), time, static_cast<int>(device)));
            ++count;
        }
    }
    std::vector<const Events*> devices;
    for (const auto& events : all) {
        devices.push_back(&events);
    }
    std::map<std::string, std::uint64_t> last;
    const auto ordered = in_order(devices);
    RC_ASSERT(ordered.size() == count);
    for (const auto* event : ordered) {
        auto& before = last[event->json.substr(event->json.find("\"device\""))];
        RC_ASSERT(event->seq == before + 1);
        before = event->seq;
    }
}

}  // namespace
}  // namespace petrel::daemon

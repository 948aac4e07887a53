// The curve of a timeline: what each kind of signal shows about the time between two reads.
#include "reports/pause_signal.hpp"

#include <gtest/gtest.h>

#include "codec/trace_reader.hpp"

namespace petrel::reports {
namespace {

using Shares = std::vector<double>;

// A trace with one column of data for one queue, read every 100 ms.
Shares shares_of(const std::string& column, const std::vector<std::string>& cells)
{
    std::string text = "time_us,port,queue," + column + "\n";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        text += std::to_string(i * 100'000) + ",Ethernet0,3," + cells[i] + "\n";
    }
    const auto trace = codec::read_trace(text, "test");
    EXPECT_TRUE(trace.has_value());
    const auto signal = pause_signal(trace->devices.front());
    Shares shares;
    for (const auto& interval : signal.front()) {
        EXPECT_EQ(interval.to - interval.from, std::chrono::milliseconds{100});
        shares.push_back(interval.share);
    }
    return shares;
}

TEST(PauseSignal, UsesPauseTimeDirectly)
{
    EXPECT_EQ(shares_of("pause_us", {"0", "25000", "125000", "125000"}), (Shares{0.25, 1.0, 0.0}));
}

TEST(PauseSignal, AStateGivesAllNoneOrPartOfTheInterval)
{
    EXPECT_EQ(shares_of("pause_state", {"not_paused", "not_paused", "paused_not_continuous", "paused", "not_paused"}),
              (Shares{0.0, 0.5, 1.0, 0.5}));
}

TEST(PauseSignal, FramesAloneGivePartOrNoneOfTheInterval)
{
    EXPECT_EQ(shares_of("rx_xoff", {"0", "0", "7"}), (Shares{0.0, 0.5}));
}

TEST(PauseSignal, OmitsUnknownIntervals)
{
    EXPECT_EQ(shares_of("tx_bytes", {"0", "10", "20"}), Shares{});
    EXPECT_EQ(shares_of("pause_us", {"0", "50000", "10"}), Shares{0.5})
        << "a counter that went backwards proves nothing";
}

TEST(PauseSignal, MeanIsWeightedByLength)
{
    const auto at = [](int ms) { return Instant{std::chrono::milliseconds{ms}}; };
    EXPECT_DOUBLE_EQ(mean_share({{at(0), at(100), 1.0}, {at(100), at(400), 0.0}}), 0.25);
    EXPECT_DOUBLE_EQ(mean_share({}), 0.0);
}

}  // namespace
}  // namespace petrel::reports

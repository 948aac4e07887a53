#include "device/sonic/poll_stamp.hpp"

#include <gtest/gtest.h>

#include "support/redis_server.hpp"

namespace petrel::device::sonic {
namespace {

using namespace std::chrono_literals;

class PollStampTest : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        server_.emplace();
        const auto databases = db::at_one_address(server_->address());
        store_.emplace(databases, 60s);
        stamp_.emplace(databases, 60s);
        stamp_->watch({"COUNTERS:first", "COUNTERS:last"}, 200ms);
    }

    void write(std::string_view key, std::string_view field = "x", std::string_view value = "1") const
    {
        redis::Pipeline pipeline;
        pipeline.add({"HSET", key, field, value});
        ASSERT_TRUE(server_->connect(2)->run(pipeline));
    }

    void poll() const
    {
        write("COUNTERS:first");
        write("COUNTERS:last");
    }

    PollStamp::Seen look(Duration at) { return stamp_->look(Instant{at}).value(); }

    std::optional<test::RedisServer> server_;
    std::optional<db::RedisStore> store_;
    std::optional<PollStamp> stamp_;
};

TEST_F(PollStampTest, AStampOfSyncdsIsTakenAsItIs)
{
    write("COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp", "1234567");
    EXPECT_EQ(look(1s).at, Instant{1234567ns});
    EXPECT_TRUE(look(1s).by_syncd);
    write("COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp", "nonsense");
    EXPECT_EQ(look(1s).at, std::nullopt);
}

TEST_F(PollStampTest, AStampIsOfAPollThatIsOverWhenBothEndsWereWritten)
{
    const auto stamp = [&](const char* ns) { write("COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp", ns); };
    stamp("1000");
    EXPECT_EQ(look(1s).at, Instant{1000ns}) << "nobody knows better at first";
    write("COUNTERS:first");
    stamp("2000");
    const auto begun = look(1200ms);
    EXPECT_TRUE(begun.under_way);
    EXPECT_EQ(begun.at, std::nullopt);
    EXPECT_TRUE(look(1210ms).under_way);
    write("COUNTERS:last");
    const auto over = look(1220ms);
    EXPECT_EQ(over.at, Instant{2000ns});
    EXPECT_FALSE(over.under_way);
    EXPECT_EQ(look(1230ms), over);
    write("COUNTERS:last");
    EXPECT_NE(look(1240ms), over) << "somebody writes";
    EXPECT_EQ(look(1240ms).at, over.at);
}

TEST_F(PollStampTest, AKeyThatIsNotWrittenIsWaitedForOnce)
{
    const auto poll_first = [&](const char* ns) {
        write("COUNTERS:first");
        write("COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp", ns);
    };
    poll_first("1000");
    look(1s);
    poll_first("2000");
    EXPECT_TRUE(look(1200ms).under_way);
    poll_first("3000");
    EXPECT_EQ(look(1400ms).at, Instant{3000ns});
    poll_first("4000");
    EXPECT_TRUE(look(1600ms).under_way);
}

TEST_F(PollStampTest, APollIsOverWhenBothEndsWereWrittenThoughNothingChanged)
{
    poll();
    EXPECT_EQ(look(1s).at, std::nullopt) << "that was before anybody watched";
    write("COUNTERS:first");
    const auto begun = look(1100ms);
    EXPECT_EQ(begun.at, std::nullopt);
    EXPECT_TRUE(begun.under_way);
    write("COUNTERS:last");
    const auto over = look(1150ms);
    EXPECT_EQ(over.at, Instant{1150ms});
    EXPECT_NE(over, begun);
    EXPECT_EQ(look(1300ms), over) << "nothing was written since";
    write("COUNTERS:first");
    EXPECT_TRUE(look(1320ms).under_way) << "whoever reads now may read half of two polls";
    EXPECT_EQ(look(1330ms).at, std::nullopt);
    write("COUNTERS:last");
    EXPECT_EQ(look(1360ms).at, Instant{1350ms});
}

TEST_F(PollStampTest, APollTookPlaceBetweenTwoVisitsWhereTheIntervalPutsIt)
{
    look(900ms);
    poll();
    EXPECT_EQ(look(1s).at, Instant{1s});
    look(1190ms);
    poll();
    EXPECT_EQ(look(1250ms).at, Instant{1200ms}) << "on the grid";
    look(1300ms);
    poll();
    EXPECT_EQ(look(1390ms).at, Instant{1390ms}) << "not after it was seen";
    look(1700ms);
    poll();
    EXPECT_EQ(look(1800ms).at, Instant{1700ms}) << "not before it was looked for in vain";
}

TEST_F(PollStampTest, WhoWritesInBetweenIsNotTakenForAPoll)
{
    look(900ms);
    poll();
    EXPECT_EQ(look(1s).at, Instant{1s});
    poll();
    EXPECT_EQ(look(1080ms).at, Instant{1s});
    EXPECT_EQ(look(1200ms).at, Instant{1s}) << "nor later";
}

}  // namespace
}  // namespace petrel::device::sonic

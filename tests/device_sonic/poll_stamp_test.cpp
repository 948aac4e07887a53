#include "device/sonic/poll_stamp.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>

#include "device/manual_clock.hpp"
#include "support/redis_gate.hpp"
#include "support/redis_server.hpp"

namespace petrel::device::sonic {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Ne;

class PollStampTest : public testing::Test {
protected:
    inline static const PollStamp::Keys kKeys{{"COUNTERS:first", "COUNTERS:last"}, {}};

    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        server_.emplace();
        const auto databases = db::at_one_address(server_->address());
        store_.emplace(databases, 60s);
        stamp_.emplace(databases, 60s);
        stamp_->watch(kKeys, 200ms);
    }

    void run(std::initializer_list<std::string_view> words) const
    {
        redis::Pipeline pipeline;
        pipeline.add(words);
        ASSERT_TRUE(server_->connect(2)->run(pipeline));
    }

    void write(std::string_view key, std::string_view field = "x", std::string_view value = "1") const
    {
        run({"HSET", key, field, value});
    }

    std::string info(std::string_view section) const
    {
        std::string text;
        redis::Pipeline pipeline;
        pipeline.add({"INFO", section});
        EXPECT_TRUE(server_->connect(2)->run(pipeline, [&](std::size_t, redis::View reply) { text = reply.text(); }));
        return text;
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

TEST_F(PollStampTest, AStampOfSyncdIsUsedUnchanged)
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
    EXPECT_EQ(look(1s).at, Instant{1000ns}) << "there is no better value at first";
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
    EXPECT_NE(look(1240ms), over) << "a write shows that a poll is under way";
    EXPECT_EQ(look(1240ms).at, over.at);
}

// With bulk reads, syncd writes queues in the order of their registration, and then their stamp.
class BulkPoll : public PollStampTest {
protected:
    void write_ports(const char* ns) const { write("COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp", ns); }
    void write_canaries() const { poll(); }
    void end(const char* ns) const { write("COUNTERS:TIME_STAMP", "PFC_WD_Queue_Counter_time_stamp", ns); }
    void stamp_others() const { write("COUNTERS:TIME_STAMP", "PORT_STAT_COUNTER_Port_Counter_time_stamp", "7"); }

    // The device repeats this after each poll.
    void watch(PollStamp::Of counters) { stamp_->watch(kKeys, 200ms, counters); }

    void see_first_poll(PollStamp::Of counters)
    {
        write_ports("1000");
        end("1500");
        watch(counters);
        look(1s);
        watch(counters);
        look(1s);
    }
};

TEST_F(BulkPoll, IsOverWithTheStampOfQueues)
{
    see_first_poll(PollStamp::Of::ports);
    write_ports("2000");
    write_canaries();
    EXPECT_TRUE(look(1200ms).under_way) << "queues that were registered later are not written yet";
    end("2500");
    const auto over = look(1210ms);
    EXPECT_EQ(over.at, Instant{2000ns});
    EXPECT_FALSE(over.under_way);
    stamp_others();
    EXPECT_EQ(look(1220ms), over);
}

TEST_F(BulkPoll, IsUnderWayThoughTheOneBeforeWasNotSeen)
{
    see_first_poll(PollStamp::Of::ports);
    write_ports("2000");
    end("2500");
    write_ports("3000");
    write_canaries();
    EXPECT_TRUE(look(1400ms).under_way);
    end("3500");
    EXPECT_EQ(look(1410ms).at, Instant{3000ns});
}

TEST_F(BulkPoll, HasTheTimeOfItsQueuesIfOnlyTheseMatter)
{
    see_first_poll(PollStamp::Of::queues);
    EXPECT_EQ(look(1100ms).at, Instant{1500ns});
    write_ports("2000");
    write_canaries();
    EXPECT_EQ(look(1200ms).at, Instant{1500ns});
    end("2500");
    EXPECT_EQ(look(1210ms).at, Instant{2500ns});
    EXPECT_TRUE(look(1210ms).by_syncd);
}

TEST_F(BulkPoll, IsNotSeenWhileNoQueueIsWatched)
{
    see_first_poll(PollStamp::Of::ports);
    stamp_->watch({}, 200ms);
    EXPECT_EQ(look(1200ms).at, std::nullopt);
}

TEST_F(BulkPoll, IsFoundByCanariesOnceItHasNoStampsAnyMore)
{
    see_first_poll(PollStamp::Of::ports);
    redis::Pipeline flush;
    flush.add({"FLUSHDB"});
    ASSERT_TRUE(server_->connect(2)->run(flush));
    EXPECT_EQ(look(1200ms).at, std::nullopt);
    watch(PollStamp::Of::ports);
    look(1300ms);
    poll();
    EXPECT_EQ(look(1400ms).at, Instant{1400ms});
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
    EXPECT_EQ(look(1s).at, std::nullopt) << "the write came before the first look";
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
    EXPECT_TRUE(look(1320ms).under_way) << "a read now may mix two polls";
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
    EXPECT_EQ(look(1390ms).at, Instant{1390ms}) << "the stamp is not later than the look that saw the poll";
    look(1700ms);
    poll();
    EXPECT_EQ(look(1800ms).at, Instant{1700ms}) << "the stamp is not earlier than the last look without a poll";
}

TEST_F(PollStampTest, WritesOfOtherClientsAreNoPoll)
{
    look(900ms);
    poll();
    EXPECT_EQ(look(1s).at, Instant{1s});
    poll();
    EXPECT_EQ(look(1080ms).at, Instant{1s});
    EXPECT_EQ(look(1200ms).at, Instant{1s}) << "and not later";
}

// orchagent writes its statistics to the key of a queue in a storm.
TEST_F(PollStampTest, AWriteToTheLastKeyAloneIsNoPoll)
{
    look(900ms);
    poll();
    EXPECT_EQ(look(1s).at, Instant{1s});
    write("COUNTERS:last");
    EXPECT_EQ(look(1150ms).at, Instant{1s});
    poll();
    EXPECT_EQ(look(1200ms).at, Instant{1200ms});
    write("COUNTERS:last");
    look(1350ms);
    write("COUNTERS:first");
    EXPECT_TRUE(look(1400ms).under_way) << "syncd has not written the last key yet";
}

// Without stamps, the counter groups of ports and of queues write the same keys as a poll.
TEST_F(PollStampTest, WritesOfOtherCounterGroupsAreNoPoll)
{
    stamp_->watch({kKeys.queues, "COUNTERS:port"}, 200ms);
    ASSERT_TRUE(stamp_->arm());
    const auto poll_group = [&] {
        write("COUNTERS:port");
        poll();
    };
    poll_group();
    EXPECT_EQ(look(1s).at, Instant{1s});
    poll();
    const auto queues_only = look(1150ms);
    EXPECT_EQ(queues_only.at, Instant{1s});
    EXPECT_FALSE(queues_only.under_way);
    poll_group();
    EXPECT_EQ(look(1200ms).at, Instant{1200ms}) << "50 ms after the other write";
    write("COUNTERS:port");
    const auto port_only = look(1350ms);
    EXPECT_EQ(port_only.at, Instant{1200ms});
    EXPECT_FALSE(port_only.under_way);
    poll_group();
    EXPECT_EQ(look(1400ms).at, Instant{1400ms});
}

TEST_F(PollStampTest, OtherKeysDoNotForgetTheLastPoll)
{
    look(900ms);
    poll();
    EXPECT_EQ(look(1s).at, Instant{1s});
    stamp_->watch({{"COUNTERS:first", "COUNTERS:another"}, {}}, 200ms);
    EXPECT_EQ(look(1050ms).at, Instant{1s});
    write("COUNTERS:first");
    write("COUNTERS:another");
    EXPECT_EQ(look(1210ms).at, Instant{1200ms});
}

// The server reports writes to a PollStamp that may wait for them. Simulated time passes while it waits.
class AwaitedPoll : public PollStampTest {
protected:
    void SetUp() override
    {
        PollStampTest::SetUp();
        if (server_) {
            stamp_.emplace(db::at_one_address(server_->address()), 60s,
                           [this](std::span<const int> fds, Duration most) {
                               const auto written = std::ranges::find_if(writes_, [&](Instant at) {
                                   return at > clock_.now().mono && at <= clock_.now().mono + most;
                               });
                               if (written == writes_.end()) {
                                   return clock_.advance(most);
                               }
                               clock_.set(*written);
                               if (!others_.contains(*written)) {
                                   write("COUNTERS:port");
                               }
                               poll();
                               wait_readable(fds, 60s);
                           });
            stamp_->watch(kKeys, 200ms);
            look();
        }
    }

    PollStamp::Seen look() { return stamp_->look(clock_.now().mono).value(); }

    ManualClock clock_{Instant{1s}};
    std::vector<Instant> writes_;  // times at which syncd writes both keys
    std::set<Instant> others_;     // those of another counter group, which does not write the port
};

TEST_F(AwaitedPoll, IsSeenOnceItIsWritten)
{
    writes_ = {Instant{1020ms}, Instant{1150ms}};
    EXPECT_TRUE(stamp_->await(clock_, 40ms));
    EXPECT_EQ(look().at, Instant{1020ms});
    EXPECT_TRUE(stamp_->await(clock_, 260ms)) << "early or late, its time is known";
    EXPECT_EQ(look().at, Instant{1150ms});
    EXPECT_LT(clock_.now().mono, Instant{1160ms});
}

TEST_F(AwaitedPoll, IsSeenAtOnceAfterAWriteOfAnotherCounterGroup)
{
    stamp_->watch({kKeys.queues, "COUNTERS:port"}, 200ms);
    ASSERT_TRUE(stamp_->arm());
    writes_ = {Instant{1020ms}, Instant{1170ms}, Instant{1220ms}, Instant{1420ms}};
    others_ = {Instant{1170ms}};
    for (const auto at : writes_) {
        EXPECT_TRUE(stamp_->await(clock_, 250ms));
        EXPECT_LT(clock_.now().mono, at + 3ms);
        EXPECT_EQ(look().at, others_.contains(at) ? Instant{1020ms} : at);
    }
}

// The caller is stopped between two looks, and syncd polls meanwhile.
TEST_F(AwaitedPoll, HasATimeOfItsOwn)
{
    writes_ = {Instant{1020ms}};
    EXPECT_TRUE(stamp_->await(clock_, 40ms));
    EXPECT_EQ(look().at, Instant{1020ms});
    clock_.set(Instant{1300ms});
    poll();
    EXPECT_EQ(look().at, Instant{1220ms}) << "where the interval puts it";
}

// syncd writes the attributes of the queues 8 ms after their statistics.
TEST_F(AwaitedPoll, IsOverWithItsLastWrite)
{
    for (int i = 1; i != 10; ++i) {
        writes_.push_back(Instant{1s + i * 200ms});
        writes_.push_back(Instant{1s + i * 200ms + 8ms});
    }
    for (int i = 1; i != 10; ++i) {
        clock_.set(Instant{1s + i * 200ms - 10ms});
        ASSERT_TRUE(stamp_->await(clock_, 40ms));
        if (i == 1) {  // the PollStamp has yet to learn that a second write follows
            clock_.set(Instant{1208ms});
            poll();
            look();
            EXPECT_TRUE(stamp_->await(clock_, 0ms));
            continue;
        }
        EXPECT_GE(clock_.now().mono, writes_[2 * static_cast<std::size_t>(i) - 1]) << i;
        EXPECT_LT(clock_.now().mono, writes_[2 * static_cast<std::size_t>(i) - 1] + 10ms) << i;
        EXPECT_EQ(look().at, writes_[2 * static_cast<std::size_t>(i) - 2]) << "the poll is as old as its first write";
    }
}

// syncd writes the stamps of all counters to one key.
TEST_F(AwaitedPoll, IsOverWithTheStampOfQueues)
{
    const auto stamp = [&](std::string_view counters, std::string_view ns) {
        write("COUNTERS:TIME_STAMP", fmt::format("{}_Counter_time_stamp", counters), ns);
    };
    std::vector<std::pair<Instant, std::pair<std::string_view, std::string_view>>> stamps{
        {Instant{1010ms}, {"PORT_STAT_COUNTER_Port", "7"}},
        {Instant{1100ms}, {"PFC_WD_Port", "2000"}},
        {Instant{1130ms}, {"PFC_WD_Queue", "2500"}}};
    stamp("PFC_WD_Port", "1000");
    stamp("PFC_WD_Queue", "1500");
    std::atomic<int> commands{0};
    const test::RedisGate gate{server_->address(), [&] { ++commands; }};
    stamp_.emplace(db::at_one_address(gate.address()), 60s, [&](std::span<const int> fds, Duration) {
        const auto [at, what] = stamps.front();
        stamps.erase(stamps.begin());
        clock_.set(at);
        stamp(what.first, what.second);
        wait_readable(fds, 60s);
    });
    for (int i = 0; i != 2; ++i) {
        stamp_->watch(kKeys, 200ms);
        look();
    }
    EXPECT_TRUE(stamp_->await(clock_, 200ms));
    EXPECT_EQ(clock_.now().mono, Instant{1130ms});
    const int before = commands;
    EXPECT_EQ(look().at, Instant{2000ns});
    EXPECT_EQ(commands, before) << "the wait has read the stamps";
    EXPECT_EQ(look().at, Instant{2000ns});
    EXPECT_GT(commands, before) << "syncd may have written since";
    stamp_.reset();
}

// A prefix costs the server a comparison with every write of syncd.
TEST_F(AwaitedPoll, IsReportedByStampsWithoutAPrefix)
{
    const auto stamp_queues = [&](std::string_view ns) {
        write("COUNTERS:TIME_STAMP", "PFC_WD_Queue_Counter_time_stamp", ns);
    };
    stamp_.emplace(db::at_one_address(server_->address()), 60s, [&](std::span<const int> fds, Duration most) {
        clock_.advance(most);
        stamp_queues(std::to_string(clock_.now().mono.time_since_epoch().count()));
        wait_readable(fds, 60s);
    });
    const auto see_polls = [&](std::string_view prefixes) {
        for (int i = 0; i != 2; ++i) {
            write("COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp", "1000");
            stamp_queues("1500");
            stamp_->watch(kKeys, 200ms);
            look();
        }
        EXPECT_THAT(info("stats"), HasSubstr(prefixes));
        for (int i = 0; i != 3; ++i) {
            EXPECT_TRUE(stamp_->await(clock_, 200ms)) << i;
            look();
        }
    };
    see_polls("tracking_total_prefixes:0\r\n");
    run({"FLUSHALL"});
    see_polls("tracking_total_prefixes:0\r\n");
    run({"SET", "COUNTERS:TIME_STAMP", "no hash"});
    look();
    stamp_->watch(kKeys, 200ms);
    look();
    EXPECT_THAT(info("stats"), HasSubstr("tracking_total_prefixes:1\r\n")) << "of the last queue";
    run({"DEL", "COUNTERS:TIME_STAMP"});
    see_polls("tracking_total_prefixes:0\r\n");
}

TEST_F(AwaitedPoll, IsWaitedForNoLongerThanAllowed)
{
    EXPECT_FALSE(stamp_->await(clock_, 40ms));
    EXPECT_EQ(clock_.now().mono, Instant{1040ms});
}

TEST_F(AwaitedPoll, BetweenTwoWaitsIsUncertainByTheTimeBetweenThem)
{
    writes_ = {Instant{1020ms}};
    EXPECT_TRUE(stamp_->await(clock_, 40ms));
    look();
    EXPECT_FALSE(stamp_->await(clock_, 100ms));
    const auto waited_until = clock_.now().mono;
    clock_.advance(5ms);
    poll();
    look();
    const auto seen = look().at;
    EXPECT_GE(seen, waited_until) << "the poll came earlier than the interval predicts";
    EXPECT_LE(seen, clock_.now().mono);
}

// The device passes descriptors that end the wait early.
TEST_F(AwaitedPoll, IsNotWaitedForOnceAnotherDescriptorIsReadable)
{
    const Waker waker;
    waker.wake();
    std::vector<int> awaited;
    stamp_.emplace(db::at_one_address(server_->address()), 60s, [&](std::span<const int> fds, Duration most) {
        awaited.assign(fds.begin(), fds.end());
        wait_readable(fds, most);
    });
    stamp_->watch(kKeys, 200ms);
    look();
    EXPECT_FALSE(stamp_->await(clock_, 1h, std::array{waker.fd()}));
    EXPECT_THAT(awaited, ElementsAre(Ne(waker.fd()), waker.fd()));
}

TEST_F(AwaitedPoll, ThatWasWrittenBeforeIsNotWaitedFor)
{
    poll();
    look();  // afterwards the server has reported the write
    EXPECT_TRUE(stamp_->await(clock_, 40ms));
    EXPECT_LE(clock_.now().mono, Instant{1001ms}) << "only for a write that follows at once";
    EXPECT_FALSE(stamp_->await(clock_, 0ms));
}

TEST_F(AwaitedPoll, IsPreciseWithoutStamps)
{
    EXPECT_EQ(stamp_->is_precise(*store_), true);
    const PollStamp waits_never{db::at_one_address(server_->address()), 60s};
    EXPECT_EQ(waits_never.is_precise(*store_), false);
    write("COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp", "1000");
    EXPECT_EQ(waits_never.is_precise(*store_), true);
}

TEST_F(AwaitedPoll, IsSeenAgainAfterTheConnectionForReportsIsLost)
{
    redis::Pipeline kill;
    kill.add({"CLIENT", "KILL", "TYPE", "pubsub"});
    ASSERT_TRUE(server_->connect(2)->run(kill));
    EXPECT_TRUE(stamp_->await(clock_, 40ms)) << "reports of writes are lost";
    look();  // requests reports again
    writes_ = {Instant{1020ms}};
    EXPECT_TRUE(stamp_->await(clock_, 40ms));
    EXPECT_EQ(look().at, Instant{1020ms});
}

}  // namespace
}  // namespace petrel::device::sonic

// What the reader derives from a poll about frames and pause, with and without pause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device_sonic/on_switch.hpp"

namespace petrel::test {
namespace {

using watchdog::Field;

class SonicReader : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        on.emplace();
        ASSERT_TRUE(on->open());
        intake.emplace(on->device_->inventory(), on->device_->capabilities());
    }

    const watchdog::Observations& poll(std::chrono::milliseconds after = 200ms)
    {
        on->clock_.advance(after);
        on->sonic_->poll(on->clock_.now().mono);
        intake->begin();
        EXPECT_TRUE(on->device_->look({}, *intake));
        return intake->view();
    }

    // Checks the first row.
    static void expect(const watchdog::Observations& seen, std::uint32_t frames, std::uint32_t ends)
    {
        EXPECT_TRUE(has(seen.known[0], Field::rx_pfc) && has(seen.known[0], Field::on2off));
        EXPECT_EQ(seen.column(Field::rx_pfc)[0], frames);
        EXPECT_EQ(seen.column(Field::on2off)[0], ends);
    }

    std::optional<OnSwitch> on;
    std::optional<watchdog::Intake> intake;
};

TEST_F(SonicReader, FramesCountFromTheFirstPauseToTheLast)
{
    auto& queue = on->sonic_->queue("Ethernet0:3");
    poll();
    expect(poll(), 0, 0);
    for (const std::uint32_t ends : {3U, 1U}) {
        queue.rx += 100;
        queue.on2off += ends;
        queue.pause_us += 50'000;
        queue.paused = true;
        expect(poll(), 100, ends);
    }
    queue.paused = false;
    queue.rx += 7;
    queue.on2off += 1;
    queue.pause_us += 10;
    expect(poll(), 7, 1);
    expect(poll(), 0, 0);
}

// ---- number of reads from the server

class SonicReads : public testing::Test {
protected:
    void SetUp() override { PETREL_NEEDS_REDIS(); }

    void open(const SonicSwitch::Setup& setup)
    {
        on.emplace(setup);
        ASSERT_TRUE(on->open());
        watch_reads();
        intake.emplace(on->device_->inventory(), on->device_->capabilities());
        reads_of_poll();  // the first poll reads more, and so does one every second
    }

    void look()
    {
        intake->begin();
        EXPECT_TRUE(on->device_->look({}, *intake));
    }

    // How many hashes the device reads for one poll, including the looks that find nothing new.
    std::uint64_t reads_of_poll(std::chrono::milliseconds after = 200ms)
    {
        on->clock_.advance(after);
        on->sonic_->poll(on->clock_.now().mono);
        const auto before = reads();
        for (int i = 0; i != 4; ++i) {
            look();
        }
        return reads() - before;
    }

    // Hashes of ports and queues that the device has read so far. The round trip on another connection makes sure that
    // the server has sent what it reports.
    std::uint64_t reads()
    {
        redis::Pipeline ping;
        ping.add({"PING"});
        EXPECT_TRUE(on->server_.connect(2)->run(ping));
        EXPECT_TRUE(monitor->messages([&](redis::View line) {
            const auto text = line.text();
            const bool hash = text.find("\"COUNTERS:oid:") != text.npos;
            read += hash && (text.find(" \"HGET\" ") != text.npos || text.find(" \"HMGET\" ") != text.npos) ? 1U : 0U;
        }));
        return read;
    }

    void watch_reads()
    {
        monitor = on->server_.connect(2);
        redis::Pipeline start;
        start.add({"MONITOR"});
        ASSERT_TRUE(monitor->run(start));
    }

    std::optional<OnSwitch> on;
    std::optional<watchdog::Intake> intake;
    std::unique_ptr<redis::Connection> monitor;
    std::uint64_t read{};
};

// Two ports with two queues each.
TEST_F(SonicReads, ReadOnlyPortsWhileNoPauseTimeIsCounted)
{
    open({.transitions = false, .pause_status = false});
    EXPECT_EQ(reads_of_poll(), 2U);
    auto& queue = on->sonic_->queue("Ethernet0:3");
    const auto pause = [&](std::uint64_t us) {
        queue.rx += 100;
        queue.pause_us += us;
    };
    pause(50'000);
    EXPECT_EQ(reads_of_poll(), 3U) << "then its counters";
    pause(200'000);
    EXPECT_EQ(reads_of_poll(), 4U) << "one read of its counters, then one of its port's frames";
    pause(200'000);
    EXPECT_EQ(reads_of_poll(), 3U) << "one read of its counters; the frames come with the time";
}

TEST_F(SonicReads, ReadOnlyStatesWhileNoQueueIsPaused)
{
    open({.pause_time = false});
    EXPECT_EQ(reads_of_poll(), 4U);
    auto& queue = on->sonic_->queue("Ethernet0:3");
    queue.rx += 100;
    queue.paused = true;
    EXPECT_EQ(reads_of_poll(), 6U) << "then its counters, and the frames of its port";
    EXPECT_EQ(reads_of_poll(), 5U);
}

class SonicReadsOfStorm : public SonicReads {
protected:
    void begin_storm(const SonicSwitch::Setup& setup)
    {
        on.emplace(setup);
        on->sonic_->set_of_queue(kQueue, "PFC_WD_STATUS", "stormed");
        ASSERT_TRUE(on->open());
        watch_reads();
        intake.emplace(on->device_->inventory(), on->device_->capabilities());
        for (int i = 0; i != 35; ++i) {
            reads_of_storm();
        }
        while (reads_of_storm() <= kPortsAndQueue) {
        }
    }

    std::uint64_t reads_of_storm()
    {
        auto& queue = on->sonic_->queue(kQueue);
        queue.rx += 100;
        queue.paused = true;
        queue.pause_us += 200'000;
        queue.tx += sends;
        counted += has(intake->view().known[0], Field::tx_packets) ? intake->view().column(Field::tx_packets)[0] : 0;
        return reads_of_poll();
    }

    static constexpr std::uint64_t kPortsAndQueue = 4;  // more is a read of everything, once a second
    std::uint64_t sends{};                              // packets in each interval
    std::uint64_t counted{};                            // packets
};

// After 6 s the watchdog no longer needs packets and backlog to decide whether the mitigation has an effect.
TEST_F(SonicReadsOfStorm, ReadPauseTimeOnly)
{
    begin_storm({.transitions = false, .pause_status = false});
    for (int i = 0; i != 3; ++i) {
        EXPECT_EQ(reads_of_storm(), 2U) << "the ports";
    }
    EXPECT_EQ(reads_of_poll(), 4U) << "the storm may be over: the queue, and the frames of its port";
}

TEST_F(SonicReadsOfStorm, ReadStatesOnlyAndFramesOnceASecond)
{
    begin_storm({.pause_time = false});
    for (int second = 0; second != 2; ++second) {
        for (int i = 0; i != 4; ++i) {
            EXPECT_EQ(reads_of_storm(), 4U) << "the queues";
        }
        EXPECT_EQ(reads_of_storm(), 5U) << "the frames of the port, too";
    }
    EXPECT_EQ(reads_of_poll(), 4U);
}

TEST_F(SonicReadsOfStorm, ReadTheQueueWhileItSends)
{
    begin_storm({.transitions = false, .pause_status = false});
    sends = 1;
    while (reads_of_storm() <= kPortsAndQueue) {
    }
    for (int i = 0; i != 4; ++i) {
        EXPECT_EQ(reads_of_storm(), i == 0 ? 4U : 3U) << i;
    }
    for (sends = 0; reads_of_storm() <= kPortsAndQueue;) {
    }
    reads_of_storm();
    EXPECT_EQ(reads_of_storm(), 2U) << "the queue has sent nothing since";
    EXPECT_EQ(counted, on->sonic_->queue(kQueue).tx);
}

// With an interval of one second the device must not choose other canaries (device/sonic/poll_stamp.hpp).
TEST_F(SonicReads, AreTheSameForLongPolls)
{
    open({.transitions = false, .pause_status = false, .poll = 1000ms});
    reads_of_poll(1000ms);
    EXPECT_EQ(reads_of_poll(1000ms), 2U + 4U) << "all queues once a second";
}

// A busy syncd stamps its polls a little early or late while the queue is paused throughout.
TEST_F(SonicReader, StampsThatAreOffDoNotBreakAPause)
{
    auto& queue = on->sonic_->queue("Ethernet0:3");
    poll();
    queue.paused = true;
    for (const auto after : {200ms, 195ms, 206ms, 194ms, 206ms}) {
        queue.rx += 100;
        queue.pause_us += 200'000;
        const auto& seen = poll(after);
        EXPECT_EQ(seen.column(Field::pause_us)[0], seen.dt_us[0]) << after.count();
    }
}

// syncd no longer writes the last canary, whose write shows the end of a poll.
TEST_F(SonicReader, EveryPollIsSeenThoughTheLastQueueIsNoLongerWatched)
{
    poll();
    on->sonic_->unwatch("Ethernet4");
    poll();
    poll();
    for (int i = 0; i != 4; ++i) {
        EXPECT_EQ(poll().touched.size(), 2U) << i;
    }
}

// If COUNTERS_DB is filled again after CONFIG_DB, it has no names for a while. The ports are the same.
TEST_F(SonicReader, NamesThatAreGoneAllAtOnceAreWaitedFor)
{
    constexpr auto kMap = "COUNTERS_QUEUE_NAME_MAP";
    poll();
    const auto generation = on->device_->inventory().generation;
    on->sonic_->remove(sonic::Db::counters, kMap);
    on->clock_.advance(200ms);
    intake->begin();
    const auto looked = on->device_->look({}, *intake);
    ASSERT_FALSE(looked);
    EXPECT_THAT(looked.error().what, testing::HasSubstr(kMap));
    for (const std::string queue : {"Ethernet0:3", "Ethernet0:4", "Ethernet4:3", "Ethernet4:4"}) {
        on->sonic_->set(sonic::Db::counters, kMap, queue, SonicSwitch::queue_oid(queue));
    }
    poll();
    EXPECT_EQ(poll().touched.size(), 4U);
    EXPECT_EQ(on->device_->inventory().generation, generation);
}

}  // namespace
}  // namespace petrel::test

#include "sonic/port_counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "noon.hpp"
#include "support/memory_store.hpp"

namespace petrel::sonic {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

watchdog::PfcCounts counted(std::uint64_t rx_frames)
{
    watchdog::PfcCounts counts;
    counts.rx_frames = rx_frames;
    return counts;
}

class SonicPortCounters : public ::testing::Test {
protected:
    void update_queue(const std::string& port)
    {
        control::QueueReport queue;
        queue.port = port;
        queue.priority = 3;
        queue.phase = watchdog::Phase::watching;
        tables_.update(queue);
    }

    void write()
    {
        ASSERT_TRUE(tables_.write(store_));
        ASSERT_TRUE(counters_.write(store_, tables_));
    }

    Hash& of(const std::string& port)
    {
        return store_.content[Db::counters]["COUNTERS:" + store_.content[Db::counters]["COUNTERS_PORT_NAME_MAP"][port]];
    }

    test::MemoryStore store_;
    QueueTables tables_;
    PortCounters counters_;
};

TEST_F(SonicPortCounters, HaveTheFieldsOfPfcstat)
{
    update_queue("Ethernet0");
    auto counts = counted(5);
    counts.tx_frames = 6;
    counts.pauses_ended = 7;
    counts.pause_us = 8'000'000'000;
    counters_.update("Ethernet0", 3, kNoon, counts);
    counters_.update("Ethernet0", 4, kNoon, counted(9));
    write();
    EXPECT_EQ(of("Ethernet0"), (Hash{{"SAI_PORT_STAT_PFC_3_RX_PKTS", "5"},
                                     {"SAI_PORT_STAT_PFC_3_TX_PKTS", "6"},
                                     {"SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS", "7"},
                                     {"SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US", "8000000000"},
                                     {"SAI_PORT_STAT_PFC_4_RX_PKTS", "9"}}));
}

TEST_F(SonicPortCounters, UnknownCountersKeepTheirValue)
{
    update_queue("Ethernet0");
    counters_.update("Ethernet0", 3, kNoon, counted(5));
    write();
    counters_.update("Ethernet0", 3, kNoon, {});
    write();
    EXPECT_EQ(of("Ethernet0"), (Hash{{"SAI_PORT_STAT_PFC_3_RX_PKTS", "5"}}));
}

TEST_F(SonicPortCounters, OnlyChangesAreWritten)
{
    update_queue("Ethernet0");
    update_queue("Ethernet4");
    for (const auto* port : {"Ethernet0", "Ethernet4"}) {
        counters_.update(port, 3, kNoon, counted(5));
        counters_.update(port, 4, kNoon, counted(5));
    }
    write();
    of("Ethernet0") = {{"SAI_PORT_STAT_PFC_3_RX_PKTS", "a mark"}};
    of("Ethernet4") = {{"SAI_PORT_STAT_PFC_3_RX_PKTS", "a mark"}};
    counters_.update("Ethernet0", 3, kNoon, counted(5));
    counters_.update("Ethernet0", 4, kNoon, counted(6));
    counters_.update("Ethernet4", 3, kNoon, counted(5));
    write();
    EXPECT_EQ(of("Ethernet0"), (Hash{{"SAI_PORT_STAT_PFC_3_RX_PKTS", "a mark"}, {"SAI_PORT_STAT_PFC_4_RX_PKTS", "6"}}));
    EXPECT_EQ(of("Ethernet4"), (Hash{{"SAI_PORT_STAT_PFC_3_RX_PKTS", "a mark"}}));
}

TEST_F(SonicPortCounters, LostCountersAreWrittenAgain)
{
    update_queue("Ethernet0");
    counters_.update("Ethernet0", 3, kNoon, counted(5));
    write();
    for (const auto times : {1, 2}) {
        store_.content.clear();
        write();
        EXPECT_EQ(of("Ethernet0"), (Hash{{"SAI_PORT_STAT_PFC_3_RX_PKTS", "5"}})) << times;
    }
}

TEST_F(SonicPortCounters, APortWaitsUntilItHasAName)
{
    counters_.update("Ethernet0", 3, kNoon, counted(5));
    write();
    EXPECT_THAT(store_.keys(Db::counters, "COUNTERS").value(), IsEmpty());
    update_queue("Ethernet0");
    write();
    EXPECT_EQ(of("Ethernet0"), (Hash{{"SAI_PORT_STAT_PFC_3_RX_PKTS", "5"}}));
}

TEST_F(SonicPortCounters, FieldsOfOtherWritersStay)
{
    store_.content[Db::counters]["COUNTERS_PORT_NAME_MAP"] = {{"Ethernet0", "oid:0x1000000000abc"}};
    store_.content[Db::counters]["COUNTERS:oid:0x1000000000abc"] = {{"SAI_PORT_STAT_IF_IN_OCTETS", "1"},
                                                                    {"SAI_PORT_STAT_PFC_3_RX_PKTS", "2"}};
    update_queue("Ethernet0");
    counters_.update("Ethernet0", 3, kNoon, counted(5));
    write();
    EXPECT_EQ(store_.content[Db::counters]["COUNTERS:oid:0x1000000000abc"],
              (Hash{{"SAI_PORT_STAT_IF_IN_OCTETS", "1"}, {"SAI_PORT_STAT_PFC_3_RX_PKTS", "5"}}));
}

// ------------------------------------------------------------------------------------------ history of pauses

class SonicPauses : public SonicPortCounters {
protected:
    static constexpr auto kTotal = "EST_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US";
    static constexpr auto kLength = "EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIME_US";
    static constexpr auto kBegan = "EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIMESTAMP";

    void keep_history(bool keep)
    {
        Config config;
        config.ports = {{"Ethernet0", {}, 8, 8, keep}, {"Ethernet4", {}, 8, 8, false}};
        counters_.configure(config);
    }

    // The queue was last read at 12:00:01 plus `after`.
    void read(std::chrono::milliseconds after, bool paused, const std::string& port = "Ethernet0")
    {
        watchdog::PfcCounts counts;
        counts.read_at = Instant{1s + after};
        counts.paused = paused;
        counters_.update(port, 3, kNoon + 1s + after, counts);
        write();
    }
};

TEST_F(SonicPauses, AreKeptForConfiguredPorts)
{
    update_queue("Ethernet0");
    update_queue("Ethernet4");
    EXPECT_EQ(counters_.every(), 1s);
    keep_history(true);
    EXPECT_EQ(counters_.every(), 100ms);
    write();
    for (const auto* port : {"Ethernet0", "Ethernet4"}) {
        read(0ms, false, port);
        read(100ms, true, port);
        read(100ms, true, port);  // no new look: the pause has not ended either
        read(250ms, true, port);
        read(300ms, false, port);
    }
    EXPECT_EQ(of("Ethernet0"), (Hash{{kTotal, "250000"}, {kLength, "250000"}, {kBegan, "1700000001000000"}}));
    EXPECT_THAT(of("Ethernet4"), IsEmpty());
}

TEST_F(SonicPauses, TheFirstLookHasNoIntervalThatCouldHaveBeenPaused)
{
    update_queue("Ethernet0");
    keep_history(true);
    write();
    read(0ms, true);
    EXPECT_THAT(of("Ethernet0"), IsEmpty());
}

TEST_F(SonicPauses, GoOnWithTheTotalThatIsThere)
{
    update_queue("Ethernet0");
    write();
    of("Ethernet0")[kTotal] = "5000000";
    keep_history(true);
    write();
    read(0ms, false);
    read(100ms, true);
    EXPECT_EQ(of("Ethernet0")[kTotal], "5100000");
    keep_history(true);  // another configuration is applied
    read(200ms, true);
    EXPECT_EQ(of("Ethernet0")[kTotal], "5200000");
    EXPECT_EQ(of("Ethernet0")[kLength], "200000") << "the same pause goes on";
}

TEST_F(SonicPauses, StayUnchangedOnceTheSettingIsRemoved)
{
    update_queue("Ethernet0");
    keep_history(true);
    write();
    read(0ms, false);
    read(100ms, true);
    keep_history(false);
    EXPECT_EQ(counters_.every(), 1s);
    read(200ms, true);
    EXPECT_EQ(of("Ethernet0")[kTotal], "100000");
}

TEST_F(SonicPauses, TheTotalOfADeviceThatCountsThemIsItsOwn)
{
    update_queue("Ethernet0");
    keep_history(true);
    write();
    watchdog::PfcCounts counts;
    counts.read_at = Instant{1s};
    counts.pause_us = 7'000'000;
    counters_.update("Ethernet0", 3, kNoon, counts);
    counts.read_at = Instant{2s};
    counts.pause_us = 7'050'000;
    counters_.update("Ethernet0", 3, kNoon + 1s, counts);
    write();
    EXPECT_EQ(of("Ethernet0")["SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US"], "7050000");
    EXPECT_EQ(of("Ethernet0")[kLength], "50000");
    EXPECT_FALSE(of("Ethernet0").contains(kTotal));
}

// ------------------------------------------------------------------------------------------------ trouble

// A store whose calls all fail.
class Away final : public Store {
public:
    Result<std::vector<std::string>> keys(Db, std::string_view) override { return fail(); }
    Result<std::vector<Hash>> hashes(Db, std::span<const std::string>) override { return fail(); }
    Result<bool> is_set(Db, const std::string&) override { return fail(); }
    Result<void> apply(Db, std::span<const Change>) override { return fail(); }

private:
    static tl::unexpected<Error> fail() { return tl::unexpected(Error{ErrorKind::unreachable, "away"}); }
};

TEST_F(SonicPortCounters, FailedWritesAreRepeated)
{
    update_queue("Ethernet0");
    ASSERT_TRUE(tables_.write(store_));
    counters_.update("Ethernet0", 3, kNoon, counted(5));
    Away away;
    EXPECT_FALSE(counters_.write(away, tables_));
    write();
    EXPECT_EQ(of("Ethernet0"), (Hash{{"SAI_PORT_STAT_PFC_3_RX_PKTS", "5"}}));
}

}  // namespace
}  // namespace petrel::sonic

#include "sonic/queue_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interrupted_store.hpp"
#include "support/memory_store.hpp"

namespace petrel::sonic {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

control::QueueReport watching(const std::string& port, std::uint8_t priority)
{
    control::QueueReport queue;
    queue.port = port;
    queue.priority = priority;
    queue.policy = "pfcwd-drop-400-2000";
    queue.phase = watchdog::Phase::watching;
    queue.configured = watchdog::Treatment::drop;
    return queue;
}

class SonicQueueTables : public ::testing::Test {
protected:
    SonicQueueTables()
    {
        config::PolicyEntry entry;
        entry.policy.detect = std::chrono::milliseconds{400};
        entry.policy.restore = std::chrono::milliseconds{2000};
        entry.ports = {{"Ethernet0", {}}};
        config_.policies.policies = {entry};
        tables_.configure(config_);
    }

    Hash& counters() { return store_.content[Db::counters]["COUNTERS:" + tables_.object("Ethernet0", 3)->queue]; }
    std::map<std::string, Hash>& appl() { return store_.content[Db::appl]; }

    test::MemoryStore store_;
    Config config_;
    QueueTables tables_;
};

TEST_F(SonicQueueTables, HaveTheFieldsOfSonicsTools)
{
    auto queue = watching("Ethernet0", 3);
    queue.phase = watchdog::Phase::mitigated;
    queue.detected = 1;
    queue.tx_drop = 300;
    queue.rx_drop_last = 200;
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_EQ(counters(), (Hash{{"PFC_WD_ACTION", "drop"},
                                {"PFC_WD_DETECTION_TIME", "400000"},
                                {"PFC_WD_RESTORATION_TIME", "2000000"},
                                {"PFC_STAT_HISTORY", "disable"},
                                {"PFC_WD_STATUS", "stormed"},
                                {"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1"},
                                {"PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "0"},
                                {"PFC_WD_QUEUE_STATS_TX_PACKETS", "0"},
                                {"PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS", "300"},
                                {"PFC_WD_QUEUE_STATS_RX_PACKETS", "0"},
                                {"PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS", "0"},
                                {"PFC_WD_QUEUE_STATS_TX_PACKETS_LAST", "0"},
                                {"PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS_LAST", "0"},
                                {"PFC_WD_QUEUE_STATS_RX_PACKETS_LAST", "0"},
                                {"PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS_LAST", "200"}}));
    EXPECT_EQ(appl()["PFC_WD_TABLE_INSTORM:Ethernet0"], (Hash{{"3", "storm"}}));
    EXPECT_EQ(store_.content[Db::state]["PFC_WD_SW_STATE_TABLE|Ethernet0:3"], (Hash{{"status", "configured"}}));

    queue.phase = watchdog::Phase::watching;
    queue.restored = 1;
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(counters(), Contains(Pair("PFC_WD_STATUS", "operational")));
    EXPECT_THAT(appl(), Not(Contains(Key("PFC_WD_TABLE_INSTORM:Ethernet0"))));
}

TEST_F(SonicQueueTables, AQueueIsInAStormFromItsDetectionToItsEnd)
{
    using watchdog::Phase;
    for (const auto phase :
         {Phase::alerted, Phase::mitigating, Phase::mitigated, Phase::probing, Phase::restoring, Phase::latched}) {
        auto queue = watching("Ethernet0", 3);
        tables_.update(queue);
        ASSERT_TRUE(tables_.write(store_));
        EXPECT_THAT(counters(), Contains(Pair("PFC_WD_STATUS", "operational")));
        queue.phase = phase;
        tables_.update(queue);
        ASSERT_TRUE(tables_.write(store_));
        EXPECT_THAT(counters(), Contains(Pair("PFC_WD_STATUS", "stormed"))) << name(phase);
        EXPECT_THAT(appl(), Contains(Key("PFC_WD_TABLE_INSTORM:Ethernet0"))) << name(phase);
    }
}

TEST_F(SonicQueueTables, AnUnseenQueueIsNotInAStorm)
{
    auto queue = watching("Ethernet0", 3);
    queue.phase.reset();
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(counters(), Contains(Pair("PFC_WD_STATUS", "operational")));
    EXPECT_THAT(appl(), Not(Contains(Key("PFC_WD_TABLE_INSTORM:Ethernet0"))));
}

TEST_F(SonicQueueTables, AnUnwatchedQueueKeepsOnlyItsStatistics)
{
    auto queue = watching("Ethernet0", 3);
    queue.detected = queue.restored = 2;
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    queue.policy.clear();
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(counters(), Not(Contains(Key("PFC_WD_STATUS"))));
    EXPECT_THAT(counters(), Not(Contains(Key("PFC_WD_DETECTION_TIME"))));
    EXPECT_THAT(counters(), Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "2")));
    EXPECT_THAT(store_.content[Db::state], Not(Contains(Key("PFC_WD_SW_STATE_TABLE|Ethernet0:3"))));
}

TEST_F(SonicQueueTables, AQueueShowsWhetherItsHistoryIsKept)
{
    config_.ports = {{"Ethernet0", {}, 8, 8, true}};
    tables_.configure(config_);
    auto queue = watching("Ethernet0", 3);
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(counters(), Contains(Pair("PFC_STAT_HISTORY", "enable")));
    EXPECT_THAT(counters(), Contains(Pair("PFC_WD_DETECTION_TIME", "400000")));
    queue.policy.clear();
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(counters(), Not(Contains(Key("PFC_STAT_HISTORY"))));
}

TEST_F(SonicQueueTables, NamesOfASwitchThatHasThemAreTaken)
{
    store_.content[Db::counters]["COUNTERS_PORT_NAME_MAP"] = {{"Ethernet0", "oid:0x1000000000abc"}};
    store_.content[Db::counters]["COUNTERS_QUEUE_NAME_MAP"] = {{"Ethernet0:3", "oid:0x15000000000def"}};
    tables_.update(watching("Ethernet0", 3));
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_EQ(tables_.object("Ethernet0", 3)->queue, "oid:0x15000000000def");
    EXPECT_EQ(tables_.object("Ethernet0", 3)->port, "oid:0x1000000000abc");
}

TEST_F(SonicQueueTables, MissingNamesAreCreated)
{
    for (const auto priority : {std::uint8_t{3}, std::uint8_t{4}}) {
        tables_.update(watching("Ethernet0", priority));
        tables_.update(watching("Ethernet4", priority));
    }
    ASSERT_TRUE(tables_.write(store_));
    auto& maps = store_.content[Db::counters];
    EXPECT_EQ(maps["COUNTERS_PORT_NAME_MAP"].size(), 2U);
    std::set<std::string> objects;
    for (const auto& [name, object] : maps["COUNTERS_QUEUE_NAME_MAP"]) {
        objects.insert(object);
        EXPECT_EQ(maps["COUNTERS_QUEUE_INDEX_MAP"][object], name.substr(name.find(':') + 1));
        EXPECT_EQ(maps["COUNTERS_QUEUE_PORT_MAP"][object],
                  maps["COUNTERS_PORT_NAME_MAP"][name.substr(0, name.find(':'))]);
    }
    EXPECT_EQ(objects.size(), 4U) << "each queue has another object id";
    const auto before = tables_.object("Ethernet4", 3)->queue;
    tables_.update(watching("Ethernet2", 3));
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_EQ(tables_.object("Ethernet4", 3)->queue, before) << "a later queue does not change object ids";
    EXPECT_FALSE(objects.contains(tables_.object("Ethernet2", 3)->queue));
}

TEST_F(SonicQueueTables, LostEntriesAreWrittenAgain)
{
    auto queue = watching("Ethernet0", 3);
    queue.detected = 7;
    queue.phase = watchdog::Phase::mitigated;
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    const auto before = store_.content;
    EXPECT_EQ(tables_.beginnings(), 1U);
    for (const auto db : {Db::appl, Db::counters, Db::state}) {
        store_.content[db].clear();
        ASSERT_TRUE(tables_.write(store_));
        EXPECT_EQ(store_.content, before) << static_cast<int>(db);
    }
    EXPECT_EQ(tables_.beginnings(), 4U);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_EQ(tables_.beginnings(), 4U) << "without a loss there is no new beginning";
}

// Whenever the flush happens, the next write repairs it: a database with our mark is complete.
TEST_F(SonicQueueTables, ADatabaseThatIsFlushedInTheMiddleOfAWriteIsWrittenAgain)
{
    for (const bool is_first : {true, false}) {
        for (const auto db : {Db::appl, Db::counters, Db::state}) {
            bool was_interrupted = true;
            for (int call = 0; was_interrupted; ++call) {
                test::MemoryStore memory;
                QueueTables tables;
                tables.configure(config_);
                auto queue = watching("Ethernet0", 3);
                queue.phase = watchdog::Phase::mitigated;
                tables.update(queue);
                if (!is_first) {
                    ASSERT_TRUE(tables.write(memory));
                    queue.detected = 1;
                    tables.update(queue);
                }
                test::InterruptedStore store{memory, call, [&] { memory.content[db].clear(); }};
                ASSERT_TRUE(tables.write(store));
                was_interrupted = store.was_interrupted();
                ASSERT_TRUE(tables.write(memory));
                const auto found = memory.content;

                for (const auto every : {Db::appl, Db::counters, Db::state}) {
                    memory.content[every].clear();
                }
                ASSERT_TRUE(tables.write(memory));
                EXPECT_EQ(found, memory.content) << "database " << static_cast<int>(db) << ", before call " << call;
            }
        }
    }
}

TEST_F(SonicQueueTables, AServerThatCameBackAsItOnceWasIsWrittenAgain)
{
    auto queue = watching("Ethernet0", 3);
    queue.phase = watchdog::Phase::mitigated;
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    const auto saved = store_.content;
    tables_.update(watching("Ethernet0", 3));
    ASSERT_TRUE(tables_.write(store_));
    store_.content = saved;
    tables_.start_over();
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(counters(), Contains(Pair("PFC_WD_STATUS", "operational")));
    EXPECT_THAT(appl(), Not(Contains(Key("PFC_WD_TABLE_INSTORM:Ethernet0"))));
}

TEST_F(SonicQueueTables, ARemovedQueueIsInNoStorm)
{
    auto queue = watching("Ethernet0", 3);
    queue.phase = watchdog::Phase::mitigated;
    queue.detected = 1;
    config_.big_red_switch = true;
    tables_.configure(config_);
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    const auto key = "COUNTERS:" + tables_.object("Ethernet0", 3)->queue;
    tables_.forget("Ethernet0", 3);
    ASSERT_TRUE(tables_.write(store_));
    const auto& left = store_.content[Db::counters][key];
    EXPECT_THAT(left, Not(Contains(Key("PFC_WD_STATUS"))));
    EXPECT_THAT(left, Not(Contains(Key("BIG_RED_SWITCH_MODE"))));
    EXPECT_THAT(left, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1"))) << "statistics stay";
    EXPECT_THAT(appl(), Not(Contains(Key("PFC_WD_TABLE_INSTORM:Ethernet0"))));
    EXPECT_THAT(store_.content[Db::state], Not(Contains(Key("PFC_WD_SW_STATE_TABLE|Ethernet0:3"))));
    EXPECT_EQ(tables_.object("Ethernet0", 3), nullptr);

    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(counters(), Contains(Pair("PFC_WD_STATUS", "stormed"))) << "the entry was written again";
    tables_.forget("Ethernet0", 3);
    tables_.update(queue);
    ASSERT_TRUE(tables_.write(store_));
    ASSERT_NE(tables_.object("Ethernet0", 3), nullptr) << "before the first write";
}

TEST_F(SonicQueueTables, AQueueRemovedBeforeTheFirstWriteLeavesNothing)
{
    tables_.update(watching("Ethernet0", 3));
    tables_.forget("Ethernet0", 3);
    tables_.forget("Ethernet4", 3);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(store_.content[Db::counters], Not(Contains(Key("COUNTERS_QUEUE_NAME_MAP"))));
}

TEST_F(SonicQueueTables, ALeftOverRowOfAStormThatIsOverIsTakenAway)
{
    appl()["PFC_WD_TABLE_INSTORM:Ethernet0"] = {{"3", "storm"}, {"4", "storm"}};
    tables_.update(watching("Ethernet0", 3));
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_EQ(appl()["PFC_WD_TABLE_INSTORM:Ethernet0"], (Hash{{"4", "storm"}})) << "queue 4 was never reported";
}

TEST_F(SonicQueueTables, TheRedSwitchStandsAtEveryWatchedQueue)
{
    tables_.update(watching("Ethernet0", 3));
    config_.big_red_switch = true;
    tables_.configure(config_);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(counters(), Contains(Pair("BIG_RED_SWITCH_MODE", "enable")));
    config_.big_red_switch = false;
    tables_.configure(config_);
    ASSERT_TRUE(tables_.write(store_));
    EXPECT_THAT(counters(), Not(Contains(Key("BIG_RED_SWITCH_MODE"))));
}

TEST_F(SonicQueueTables, RetireRemovesTheEntriesOfWatchedQueues)
{
    auto held = watching("Ethernet0", 4);
    held.phase = watchdog::Phase::mitigated;
    tables_.update(watching("Ethernet0", 3));
    tables_.update(held);
    config_.big_red_switch = true;
    tables_.configure(config_);
    ASSERT_TRUE(tables_.write(store_));
    ASSERT_TRUE(tables_.retire(store_));
    EXPECT_THAT(counters(), Not(Contains(Key("PFC_WD_STATUS"))));
    EXPECT_THAT(counters(), Not(Contains(Key("BIG_RED_SWITCH_MODE")))) << "SONiC's own watchdog leaves such queues out";
    const auto held_key = "COUNTERS:" + tables_.object("Ethernet0", 4)->queue;
    EXPECT_THAT(store_.content[Db::counters][held_key], Contains(Pair("PFC_WD_STATUS", "stormed")));
    EXPECT_THAT(store_.content[Db::counters][held_key], Not(Contains(Key("BIG_RED_SWITCH_MODE"))));
    EXPECT_THAT(store_.content[Db::state], IsEmpty());
    EXPECT_THAT(store_.content[Db::counters], Not(Contains(Key("PETREL_PFC_WD:agent"))));
}

}  // namespace
}  // namespace petrel::sonic

// The agent's own tables on a large switch, and the limits on one request for them. No process, no socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/control_json.hpp"
#include "daemon/sonic/own_tables.hpp"
#include "database_numbers.hpp"
#include "runtime/control_server.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using control::ControlRequest;
using control::TableChange;
using testing::HasSubstr;
using testing::SizeIs;
using Command = ControlRequest::Command;

constexpr int kPorts = 512;
constexpr std::uint8_t kQueues = 8;

ControlRequest request(Command command, std::uint8_t db)
{
    ControlRequest made;
    made.command = command;
    made.db = db;
    return made;
}

std::string port_name(int port) { return "Ethernet" + std::to_string(4 * port); }

class LargeTables : public testing::Test {
protected:
    void SetUp() override
    {
        Nos::Report report;
        for (int port = 0; port != kPorts; ++port) {
            for (std::uint8_t priority = 0; priority != kQueues; ++priority) {
                control::QueueReport queue;
                queue.port = port_name(port);
                queue.priority = priority;
                queue.phase = watchdog::Phase::watching;
                report.queues.push_back(queue);
            }
        }
        const auto reply = tables->exchange(std::move(report));
        EXPECT_EQ(reply.trouble, "");
    }

    test::TemporaryFolder folder;
    std::unique_ptr<OwnTables> tables = OwnTables::open(folder / "tables.json").value();
};

TEST_F(LargeTables, AllPortsAreStartedByOneRequest)
{
    auto start = request(Command::table_change, kConfig);
    for (int port = 0; port != kPorts; ++port) {
        start.changes.push_back({TableChange::Kind::replace,
                                 "PFC_WD|" + port_name(port),
                                 {{"action", "forward"},
                                  {"detection_time", "5000"},
                                  {"pfc_stat_history", "disable"},
                                  {"restoration_time", "60000"}}});
    }
    EXPECT_LT(codec::request_json(start).size(), runtime::ControlServer::Limits{}.request);
    ASSERT_TRUE(tables->tables(start));
    const auto reply = tables->exchange({});
    ASSERT_TRUE(reply.policies);
    ASSERT_THAT(reply.policies->policies, SizeIs(1));
    EXPECT_THAT(reply.policies->policies.front().ports, SizeIs(kPorts));
}

TEST_F(LargeTables, AllQueuesAreReadInParts)
{
    auto keys = request(Command::table_keys, kCounters);
    keys.prefix = "COUNTERS:";
    auto all = tables->tables(keys).value().report.keys;
    ASSERT_THAT(all, SizeIs(kPorts * kQueues));
    auto hashes = request(Command::table_hashes, kCounters);
    hashes.keys.assign(all.begin(), all.begin() + control::kMostTableKeys);
    EXPECT_LT(codec::request_json(hashes).size(), runtime::ControlServer::Limits{}.request);
    const auto bite = tables->tables(hashes).value().report.hashes;
    ASSERT_THAT(bite, SizeIs(control::kMostTableKeys));
    EXPECT_EQ(bite.back().at("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"), "0");
    hashes.keys.push_back(all.back());
    EXPECT_EQ(tables->tables(hashes).error().what, "1001 keys at once: at most 1000");
}

TEST_F(LargeTables, ARequestWithTooManyKeysIsRefused)
{
    auto hashes = request(Command::table_hashes, kCounters);
    hashes.keys.assign(control::kMostTableKeys, "COUNTERS_QUEUE_NAME_MAP");
    EXPECT_EQ(tables->tables(hashes).error().kind, ErrorKind::exhausted);
}

TEST_F(LargeTables, OnlyTheConfigurationCanBeChanged)
{
    auto change = request(Command::table_change, kCounters);
    change.changes = {{TableChange::Kind::set, "COUNTERS:oid:0x1", {{"a", "b"}}}};
    EXPECT_THAT(tables->tables(change).error().what, HasSubstr("only the agent writes"));
    EXPECT_THAT(tables->tables(request(Command::table_keys, 7)).error().what, HasSubstr("no database 7: allowed 0..6"));
}

TEST_F(LargeTables, AFailedWriteChangesNothing)
{
    std::filesystem::remove_all(folder.path());
    auto start = request(Command::table_change, kConfig);
    start.changes = {{TableChange::Kind::set, "PFC_WD|Ethernet0", {{"detection_time", "100"}}}};
    EXPECT_THAT(tables->tables(start).error().what, HasSubstr("tables.json"));
    EXPECT_FALSE(tables->exchange({}).policies);
}

}  // namespace
}  // namespace petrel::daemon

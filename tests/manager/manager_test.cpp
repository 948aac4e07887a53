// The manager stores messages before it applies them: after any death the next one shows the same view.
#include "manager/manager.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manager/report_desk.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::manager {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant kNow{1h};

constexpr auto kBoot = "0123456789abcdef0123456789abcdef";

// A report of the agent leaf3 with these lines.
codec::Report report(std::string_view lines, std::string_view boot = kBoot)
{
    const auto text =
        fmt::format("{{\"report\":1,\"agent\":\"leaf3\",\"boot\":\"{}\",\"version\":\"x\"}}\n{}", boot, lines);
    const auto read = codec::read_report(text);
    EXPECT_TRUE(read) << (read ? "" : read.error().what);
    return read.value_or(codec::Report{});
}

std::string event(std::uint64_t seq, std::string_view what, std::int64_t time_us)
{
    return fmt::format(R"({{"seq":{},"time_us":{},"event":"{}","device":"leaf3","port":"Ethernet20","queue":3,)"
                       R"("policy":"tor","reason":"proven","action":"drop","cause":null,"evidence":null}})",
                       seq, time_us, what);
}

class ManagerTest : public testing::Test {
protected:
    Manager start() const { return Manager::start(Store::open(folder_ / "manager.db").value()).value(); }

    static void take(Manager& manager, const std::string& line)
    {
        manager.take(report(line), "127.0.0.1", {kNow, WallTime{5s}});
    }

    test::TemporaryFolder folder_;
};

TEST_F(ManagerTest, AnEventIsShownAfterItIsStored)
{
    auto manager = start();
    take(manager, event(1, "storm_detected", 1'000'000));
    EXPECT_THAT(manager.view().storms(kNow), IsEmpty()) << "not stored yet";
    EXPECT_THAT(manager.commit().value(), SizeIs(1));
    const auto storms = manager.view().storms(kNow);
    ASSERT_THAT(storms, SizeIs(1));
    EXPECT_EQ(storms[0].port, (fabric::PortName{"leaf3", "Ethernet20"}));
    EXPECT_EQ(storms[0].error.cause, link::kStormMitigated);
    EXPECT_EQ(storms[0].error.priority, Priority{3});
    EXPECT_EQ(storms[0].error.raw, "storm_detected, drop");
    EXPECT_EQ(storms[0].error.opened_at, WallTime{1s});
    EXPECT_TRUE(storms[0].sight.reports);
}

TEST_F(ManagerTest, TheNextProcessShowsTheSameAndNoDeviceReports)
{
    {
        auto manager = start();
        take(manager, event(1, "storm_detected", 1'000'000));
        take(manager, event(2, "link_down", 2'000'000));
        take(manager, event(3, "link_up", 3'000'000));
        take(manager, event(4, "storm_detected", 4'000'000));
        take(manager, event(5, "order_taken", 5'000'000));
        ASSERT_THAT(manager.commit().value(), SizeIs(5));
    }
    auto manager = start();
    EXPECT_EQ(manager.view().devices(kNow).at(0), (fabric::ShownDevice{"leaf3", {false, WallTime{5s}}, 0}));
    EXPECT_THAT(manager.view().ports(kNow).at(0).errors, SizeIs(2));
    EXPECT_THAT(manager.view().storms(kNow), SizeIs(1));
    const auto links = manager.view().links({kNow, {}});
    ASSERT_THAT(links, SizeIs(1));
    EXPECT_EQ(links[0].end.history.at(0).up_at, WallTime{3s});
}

TEST_F(ManagerTest, AgentsMayRepeatTheirEvents)
{
    auto manager = start();
    for (int i = 0; i < 2; ++i) {
        take(manager, event(1, "storm_detected", 1'000'000));
        take(manager, event(2, "storm_restored", 2'000'000));
        EXPECT_THAT(manager.commit().value(), SizeIs(i == 0 ? 2U : 0U));
    }
    const auto errors = manager.view().ports(kNow).at(0).errors;
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_EQ(errors[0].times, 1U);
}

// The memory of the agent has forgotten events of a report that is late. The manager stores it all the same, once.
TEST_F(ManagerTest, ALateEventIsStoredBehindTheGapThatHasIt)
{
    auto manager = start();
    take(manager, event(1, "storm_detected", 1'000'000));
    take(manager, R"({"seq":4,"event":"events_forgotten","device":"leaf3","first":2})");
    take(manager, event(5, "storm_restored", 5'000'000));
    ASSERT_THAT(manager.commit().value(), SizeIs(3));
    EXPECT_EQ(manager.view().devices(kNow).at(0).missing, 2U);
    for (const auto is_new : {1U, 0U}) {
        take(manager, event(2, "storm_escalated", 2'000'000));
        EXPECT_THAT(manager.commit().value(), SizeIs(is_new));
        EXPECT_THAT(manager.view().storms(kNow), IsEmpty()) << "the end of the storm has a later number";
        EXPECT_EQ(manager.view().devices(kNow).at(0).missing, 1U);
    }
}

// The agent's state folder was erased: its numbers begin at 1 again.
TEST_F(ManagerTest, AnAgentThatCountsAgainIsNotIgnored)
{
    {
        auto manager = start();
        take(manager, event(1, "storm_detected", 1'000'000));
        take(manager, event(2, "storm_restored", 2'000'000));
        ASSERT_TRUE(manager.commit());
    }
    for (const auto is_new : {1U, 0U}) {
        auto manager = start();
        take(manager, event(1, "storm_detected", 3'000'000));
        EXPECT_THAT(manager.commit().value(), SizeIs(is_new));
        EXPECT_THAT(manager.view().storms(kNow), SizeIs(1));
    }
}

// The last record of its memory is lost, so it counts again from 2. A late repetition of the report with 1 and 2 is
// known.
TEST_F(ManagerTest, ARepetitionFromBeforeAnAgentCountedAgainIsKnown)
{
    auto manager = start();
    const auto both = event(1, "storm_detected", 1'000'000) + '\n' + event(2, "storm_restored", 2'000'000);
    take(manager, both);
    ASSERT_THAT(manager.commit().value(), SizeIs(2));
    take(manager, event(2, "storm_restored", 3'000'000));
    ASSERT_THAT(manager.commit().value(), SizeIs(1));
    take(manager, both);
    EXPECT_THAT(manager.commit().value(), IsEmpty());
}

// Another process of the agent, which asks what is stored and then reports where its memory begins again.
class RecountTest : public ManagerTest {
protected:
    static constexpr auto kSecond = "fedcba9876543210fedcba9876543210";

    struct Life {
        Manager manager;
        ReportDesk desk{manager, "this"};
    };

    // The name of the manager's process in the answer.
    static std::string ask(Life& life, std::string_view boot)
    {
        auto asked = report("", boot);
        asked.names = {"leaf3"};
        const auto taken = life.desk.take(asked, "127.0.0.1", {kNow, WallTime{5s}});
        EXPECT_TRUE(life.manager.commit());
        return taken->manager;
    }

    // How many events are new.
    static std::size_t send(Life& life, std::string_view boot, const std::string& to, std::uint64_t recount,
                            const std::string& lines)
    {
        auto sent = report(lines, boot);
        sent.manager = to;
        if (recount != 0) {
            sent.recounts = {{"leaf3", recount}};
        }
        EXPECT_TRUE(life.desk.take(sent, "127.0.0.1", {kNow, WallTime{5s}}));
        return life.manager.commit().value().size();
    }

    const std::string kept_ = event(1, "storm_detected", 7'000'000) + '\n' + event(2, "storm_restored", 8'000'000);
    const std::string lost_ = event(3, "storm_detected", 9'000'000);
    const std::string after_ = event(3, "storm_detected", 1'000'000);  // the clock was set back
    const std::string more_ = event(4, "storm_restored", 2'000'000);
};

TEST_F(RecountTest, AnAgentThatLostItsLastRecordIsNotIgnoredWhenItsClockWasSetBack)
{
    {
        Life life{start()};
        EXPECT_EQ(send(life, kBoot, ask(life, kBoot), 0, kept_ + '\n' + lost_), 3U);
        const auto name = ask(life, kSecond);
        EXPECT_EQ(send(life, kSecond, name, 3, after_), 2U) << "the event, and that records are lost";
        EXPECT_EQ(send(life, kSecond, name, 3, after_), 0U) << "the report is doubled";
        EXPECT_EQ(send(life, kSecond, name, 3, kept_), 0U) << "the agent kept it";
    }
    Life next{start()};
    EXPECT_EQ(next.manager.store().last("leaf3"), (fabric::Position{1, 3}));
    const auto name = ask(next, kSecond);
    EXPECT_EQ(send(next, kSecond, name, 3, kept_), 0U) << "the agent kept it";
    EXPECT_EQ(send(next, kSecond, name, 3, more_), 1U) << "it goes on in its count";
    EXPECT_EQ(next.manager.store().last("leaf3"), (fabric::Position{1, 4}));
    EXPECT_EQ(next.manager.view().devices(kNow).at(0).missing, 0U);
}

TEST_F(RecountTest, AnAgentThatLostAllRecordsBeginsAgain)
{
    Life life{start()};
    EXPECT_EQ(send(life, kBoot, ask(life, kBoot), 0, kept_ + '\n' + lost_), 3U);
    const auto name = ask(life, kSecond);
    EXPECT_EQ(send(life, kSecond, name, 1, ""), 1U);
    EXPECT_EQ(life.manager.store().last("leaf3"), (fabric::Position{1, 0}));
    EXPECT_EQ(send(life, kSecond, name, 1, event(1, "storm_detected", 1'000'000)), 1U);
    EXPECT_EQ(life.manager.view().devices(kNow).at(0).missing, 0U);
}

// The manager did not have the lost record when the agent asked, so the agent reports no recount.
TEST_F(RecountTest, ALateReportOfAnEarlierProcessIsNotStored)
{
    Life life{start()};
    const auto first = ask(life, kBoot);
    EXPECT_EQ(send(life, kBoot, first, 0, kept_), 2U);
    const auto second = ask(life, kSecond);
    EXPECT_EQ(send(life, kBoot, first, 0, lost_), 0U);
    EXPECT_EQ(send(life, kSecond, second, 0, after_), 1U);
}

TEST_F(RecountTest, ALateQuestionOfAnEarlierProcessMakesTheAgentAskAgain)
{
    Life life{start()};
    EXPECT_EQ(send(life, kBoot, ask(life, kBoot), 0, kept_ + '\n' + lost_), 3U);
    const auto second = ask(life, kSecond);
    EXPECT_EQ(send(life, kSecond, second, 3, after_), 2U);
    EXPECT_NE(ask(life, kBoot), second);
    EXPECT_EQ(life.manager.agents().at("leaf3").boot, kSecond);
    EXPECT_EQ(send(life, kSecond, second, 3, more_), 0U);
    EXPECT_EQ(send(life, kSecond, ask(life, kSecond), 3, more_), 1U);
    EXPECT_EQ(life.manager.store().last("leaf3"), (fabric::Position{1, 4}));
}

// The clock of the agent was set back between its events.
TEST_F(ManagerTest, AClockThatIsSetBackIsNoNewCount)
{
    auto manager = start();
    for (int i = 0; i < 2; ++i) {
        take(manager, event(1, "storm_detected", 9'000'000));
        take(manager, event(2, "storm_restored", 2'000'000));
        EXPECT_THAT(manager.commit().value(), SizeIs(i == 0 ? 2U : 0U));
    }
    EXPECT_THAT(manager.view().storms(kNow), IsEmpty());
}

// The lab keeps the store of a manager as bytes.
TEST_F(ManagerTest, AStoreWithoutAFileOutlivesItsProcess)
{
    std::vector<std::byte> image;
    {
        auto manager = Manager::start(Store::open_image({}).value()).value();
        take(manager, event(1, "storm_detected", 1'000'000));
        ASSERT_THAT(manager.commit().value(), SizeIs(1));
        image = manager.store().image().value();
        take(manager, event(2, "storm_restored", 2'000'000));
        ASSERT_THAT(manager.commit().value(), SizeIs(1));
    }
    auto manager = Manager::start(Store::open_image(image).value()).value();
    EXPECT_THAT(manager.view().storms(kNow), SizeIs(1));
    take(manager, event(1, "storm_detected", 1'000'000));
    take(manager, event(2, "storm_restored", 2'000'000));
    EXPECT_THAT(manager.commit().value(), SizeIs(1)) << "the copy is older than the second event";
    image.resize(image.size() / 2);
    EXPECT_FALSE(Store::open_image(image).and_then([](auto store) { return Manager::start(std::move(store)); }));
}

TEST_F(ManagerTest, ADeviceIsUnknownAfterTheTimeThatTheManagerIsGiven)
{
    auto manager = Manager::start(Store::open_image({}).value(), {}, 3s).value();
    take(manager, event(1, "storm_detected", 1'000'000));
    ASSERT_TRUE(manager.commit());
    EXPECT_TRUE(manager.view().devices(kNow + 3s).at(0).sight.reports);
    EXPECT_FALSE(manager.view().devices(kNow + 4s).at(0).sight.reports);
}

// The manager that the agent reported to had more events: this one must not hide that it lacks some.
TEST_F(ManagerTest, EventsForAnotherProcessAreNotStored)
{
    auto manager = start();
    ReportDesk desk{manager, "this"};
    auto late = report(event(7, "storm_detected", 1'000'000));
    late.manager = "another";
    const auto taken = desk.take(late, "127.0.0.1", {kNow, WallTime{5s}});
    ASSERT_TRUE(taken);
    EXPECT_THAT(manager.commit().value(), IsEmpty());
    EXPECT_THAT(desk.answer(*taken, WallTime{5s}),
                testing::HasSubstr(R"("manager":"this","stored":{"leaf3":{"seq":0,"epoch":0}})"));
    late.manager = "this";
    ASSERT_TRUE(desk.take(late, "127.0.0.1", {kNow, WallTime{5s}}));
    EXPECT_THAT(manager.commit().value(), SizeIs(1));
    EXPECT_THAT(desk.answer(*taken, WallTime{5s}), testing::HasSubstr(R"("leaf3":{"seq":7,"epoch":0})"));
}

// The storms of leaf3 in a report to this process; `seq`: the last event that the manager had when the agent sent it.
codec::Report storms(ReportDesk& desk, std::uint64_t epoch, std::uint64_t seq, std::string_view open = "")
{
    auto made =
        report(fmt::format(R"({{"storms":[{{"device":"leaf3","epoch":{},"seq":{},"open":[{}]}}]}})", epoch, seq, open));
    made.manager = desk.boot();
    return made;
}

constexpr auto kStorm = R"({"port":"Ethernet20","queue":3})";

TEST_F(ManagerTest, AStormThatTheAgentDoesNotKnowAnyMoreEnds)
{
    {
        auto manager = start();
        ReportDesk desk{manager, "this"};
        take(manager, event(1, "storm_alert", 1'000'000));
        take(manager, event(2, "storm_escalated", 2'000'000));
        ASSERT_TRUE(manager.commit());
        ASSERT_TRUE(desk.take(storms(desk, 0, 2, kStorm), "127.0.0.1", {kNow, WallTime{6s}}));
        EXPECT_THAT(manager.commit().value(), IsEmpty()) << "the agent has it";
        for (const auto is_new : {1U, 0U}) {
            ASSERT_TRUE(desk.take(storms(desk, 0, 2, R"({"port":"Ethernet20"},{"port":"Ethernet24","queue":3})"),
                                  "127.0.0.1", {kNow, WallTime{7s}}));
            const auto added = manager.commit().value();
            ASSERT_THAT(added, SizeIs(is_new));
            EXPECT_TRUE(
                added.empty() ||
                added[0].event.find(R"("event":"error_forgotten","device":"leaf3","port":"Ethernet20","queue":3)") !=
                    std::string::npos)
                << added[0].event;
        }
    }
    auto manager = start();
    const auto errors = manager.view().ports(kNow).at(0).errors;
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_EQ(errors[0].closed, fabric::PortErrorRecord::Closed::forgotten);
    EXPECT_EQ(errors[0].closed_at, WallTime{7s});
    EXPECT_EQ(manager.view().devices(kNow).at(0).missing, 0U);
    take(manager, event(1, "storm_detected", 9'000'000));  // the agent counts again
    ASSERT_THAT(manager.commit().value(), SizeIs(1));
    EXPECT_THAT(manager.view().ports(kNow).at(0).errors, SizeIs(2));
    EXPECT_THAT(manager.view().storms(kNow), SizeIs(1));
}

// The report was under way when the agent found the next storm.
TEST_F(ManagerTest, ALateReportOfStormsEndsNothing)
{
    auto manager = start();
    ReportDesk desk{manager, "this"};
    const auto late = storms(desk, 0, 2);
    take(manager, event(1, "storm_detected", 1'000'000));
    take(manager, event(2, "storm_restored", 2'000'000));
    ASSERT_TRUE(manager.commit());
    take(manager, event(3, "storm_detected", 3'000'000));
    ASSERT_TRUE(desk.take(late, "127.0.0.1", {kNow, WallTime{6s}}));  // in the same turn
    ASSERT_THAT(manager.commit().value(), SizeIs(1));
    ASSERT_TRUE(desk.take(late, "127.0.0.1", {kNow, WallTime{7s}}));
    EXPECT_THAT(manager.commit().value(), IsEmpty());
    ASSERT_TRUE(desk.take(storms(desk, 1, 3), "127.0.0.1", {kNow, WallTime{7s}}));
    EXPECT_THAT(manager.commit().value(), IsEmpty()) << "of another count";
    EXPECT_THAT(manager.view().storms(kNow), SizeIs(1));
    auto elsewhere = storms(desk, 0, 3);
    elsewhere.manager = "another";
    ASSERT_TRUE(desk.take(elsewhere, "127.0.0.1", {kNow, WallTime{8s}}));
    EXPECT_THAT(manager.commit().value(), IsEmpty()) << "the answer was of another process";
    ASSERT_TRUE(desk.take(storms(desk, 0, 3), "127.0.0.1", {kNow, WallTime{8s}}));
    EXPECT_THAT(manager.commit().value(), SizeIs(1));
    EXPECT_THAT(manager.view().storms(kNow), IsEmpty());
}

TEST_F(ManagerTest, ADeviceOfAnAgentThatReportsIsRefusedToAnother)
{
    auto manager = start();
    ReportDesk desk{manager, "this", 3s};
    constexpr auto kState = R"({"devices":[{"device":"sw","ports":[]}]})";
    const auto from = [&](std::string_view agent, Instant at) {
        auto one = report(kState);
        one.agent = agent;
        auto taken = desk.take(one, "127.0.0.1", {at, WallTime{5s}});
        EXPECT_TRUE(manager.commit());
        return taken;
    };
    EXPECT_TRUE(from("leaf3", kNow));
    const auto refused = from("leaf4", kNow + 2s);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, testing::HasSubstr("'sw' is reported by the agent 'leaf3'"));
    EXPECT_TRUE(from("leaf4", kNow + 4s)) << "leaf3 is silent";
}

TEST_F(ManagerTest, AnEventOfALaterVersionCountsAsReceived)
{
    auto manager = start();
    take(manager, event(1, "storm_detected", 1'000'000));
    take(manager, event(2, "moon_rises", 2'000'000));
    take(manager, event(3, "storm_restored", 3'000'000));
    ASSERT_TRUE(manager.commit());
    EXPECT_EQ(manager.view().devices(kNow).at(0).missing, 0U);
    EXPECT_THAT(manager.view().storms(kNow), IsEmpty());
}

TEST_F(ManagerTest, OneProcessUsesTheStore)
{
    const auto first = Store::open(folder_ / "manager.db");
    ASSERT_TRUE(first);
    const auto second = Store::open(folder_ / "manager.db");
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().what, testing::HasSubstr("another manager"));
}

TEST_F(ManagerTest, AKilledProcessLosesNothingThatItCommitted)
{
    const auto child = ::fork();
    if (child == 0) {
        auto manager = start();
        for (std::uint64_t seq = 1; seq <= 50; ++seq) {
            take(manager, event(seq, "storm_detected", 1'000'000));
            static_cast<void>(manager.commit());
        }
        take(manager, event(51, "storm_restored", 2'000'000));
        ::kill(::getpid(), SIGKILL);  // before the commit
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto storms = start().view().storms(kNow);
    ASSERT_THAT(storms, SizeIs(1));
    EXPECT_EQ(storms[0].error.times, 50U);
}

TEST_F(ManagerTest, AHeartbeatOfTheAgentIsOneOfItsDevices)
{
    auto manager = start();
    take(manager, R"({"devices":[{"device":"leaf3","state":"watching"},{"device":"nic","state":"failing"}]})");
    ASSERT_TRUE(manager.commit());
    EXPECT_FALSE(manager.view().devices(kNow + 61s).at(0).sight.reports);
    manager.take(report(""), "127.0.0.1", {kNow + 61s, WallTime{66s}});
    ASSERT_TRUE(manager.commit());
    const auto devices = manager.view().devices(kNow + 61s);
    ASSERT_THAT(devices, SizeIs(2));
    EXPECT_TRUE(devices[0].sight.reports && devices[1].sight.reports);
    EXPECT_EQ(devices[1].state, "failing");
}

TEST_F(ManagerTest, AStateReplacesTheFormerOneAndSurvives)
{
    constexpr auto kWithNeighbour =
        R"({"devices":[{"device":"leaf3","ports":[{"port":"Ethernet0","link":"up","neighbour":{"device":"gpu","port":"eth2"}}]}]})";
    {
        auto manager = start();
        take(manager, R"({"devices":[{"device":"leaf3","ports":[{"port":"Ethernet4","link":"up"}]}]})");
        take(manager, kWithNeighbour);
        ASSERT_TRUE(manager.commit());
    }
    const auto manager = start();
    const auto ports = manager.view().ports(kNow);
    ASSERT_THAT(ports, SizeIs(1));
    EXPECT_EQ(ports[0].name, (fabric::PortName{"leaf3", "Ethernet0"}));
    EXPECT_EQ(ports[0].neighbour, (fabric::PortName{"gpu", "eth2"}));
    EXPECT_EQ(ports[0].link, fabric::LinkState::up);
    EXPECT_FALSE(ports[0].sight.reports);
}

TEST_F(ManagerTest, TheFirstReportOfABootIsInTheAudit)
{
    auto manager = start();
    constexpr auto kSecondBoot = "ffffffffffffffffffffffffffffffff";
    for (const auto* boot : {kBoot, kBoot, kSecondBoot}) {
        manager.take(report("", boot), "token", {kNow, WallTime{5s}});
        ASSERT_TRUE(manager.commit());
    }
    EXPECT_THAT(manager.store().audit(10).value(),
                testing::ElementsAre(AuditEntry{WallTime{5s}, "token", "agent_started", "leaf3", kSecondBoot},
                                     AuditEntry{WallTime{5s}, "token", "agent_started", "leaf3", kBoot}));
}

// Old events go; the opening of the open error stays, and a repetition of an old event is not new.
TEST_F(ManagerTest, RetentionKeepsOpenErrorsAndDoesNotForgetWhatItReceived)
{
    {
        auto manager = start();
        take(manager, event(1, "storm_detected", 1'000'000));
        take(manager, event(2, "storm_restored", 2'000'000));
        take(manager, event(3, "storm_detected", 3'000'000));
        for (std::uint64_t seq = 4; seq <= 20; ++seq) {
            take(manager, event(seq, "order_taken", 4'000'000));
        }
        ASSERT_TRUE(manager.commit());
        ASSERT_TRUE(manager.prune({.most_events = 5}, WallTime{6s}));
    }
    auto manager = start();
    std::vector<std::int64_t> cursors;
    const auto page = manager.store().events({}).value();
    for (const auto& stored : page) {
        cursors.push_back(stored.cursor);
    }
    EXPECT_THAT(cursors, testing::ElementsAre(3, 16, 17, 18, 19, 20));
    ASSERT_THAT(manager.view().storms(kNow), SizeIs(1));
    EXPECT_EQ(manager.view().storms(kNow)[0].error.opened_at, WallTime{3s});
    EXPECT_EQ(manager.view().devices(kNow).at(0).missing, 0U);
    take(manager, event(2, "storm_restored", 2'000'000));
    EXPECT_THAT(manager.commit().value(), IsEmpty());
    EXPECT_THAT(manager.view().storms(kNow), SizeIs(1));
}

TEST_F(ManagerTest, RetentionIsAlsoByAge)
{
    auto manager = start();
    for (std::uint64_t seq = 1; seq <= 3; ++seq) {
        manager.take(report(event(seq, "order_taken", 1'000'000)), "x", {kNow, WallTime{seq * 1h}});
        ASSERT_TRUE(manager.commit());
    }
    ASSERT_TRUE(manager.prune({.oldest_event = std::chrono::hours{1}}, WallTime{3h}));
    EXPECT_THAT(manager.store().events({}).value(), SizeIs(2));
    ASSERT_TRUE(manager.prune({.oldest_event = std::chrono::hours{1}}, WallTime{30h}));
    EXPECT_THAT(manager.store().events({}).value(), SizeIs(1)) << "the last one stays: its cursor is not used again";
}

TEST_F(ManagerTest, RetentionOfSamplesIsByNumberAndByAge)
{
    auto manager = start();
    for (int hour = 1; hour <= 4; ++hour) {
        const auto line = fmt::format(R"({{"samples":[{{"device":"leaf3","port":"Ethernet20","queue":3,"time_us":{},)"
                                      R"("paused_us":1,"tx_packets":2,"rx_pfc":3}}]}})",
                                      hour);
        manager.take(report(line), "x", {kNow, WallTime{hour * 1h}});
        ASSERT_TRUE(manager.commit());
    }
    const auto kept = [&](const Retention& retention) {
        EXPECT_TRUE(manager.prune(retention, WallTime{4h}));
        std::vector<std::int64_t> cursors;
        const auto page = manager.store().samples({}).value();
        for (const auto& stored : page) {
            cursors.push_back(stored.cursor);
        }
        return cursors;
    };
    EXPECT_THAT(kept({.most_samples = 3}), testing::ElementsAre(2, 3, 4));
    EXPECT_THAT(kept({.oldest_sample = std::chrono::hours{1}}), testing::ElementsAre(3, 4));
    EXPECT_THAT(kept({.most_samples = 1}), testing::ElementsAre(4));
}

// Each call is short, and the calls of one pass forget everything.
TEST_F(ManagerTest, RetentionKeepsUpWithManyRows)
{
    auto manager = start();
    take(manager, event(1, "storm_detected", 1));
    for (const unsigned first : {2U, 3001U}) {
        std::string lines;
        std::string samples;
        for (auto seq = first; seq != first + 3000; ++seq) {
            lines += event(seq, "order_taken", seq) + '\n';
            samples += fmt::format(R"({}{{"device":"leaf3","port":"p","queue":3,"time_us":{},"paused_us":1,)"
                                   R"("tx_packets":2,"rx_pfc":3}})",
                                   samples.empty() ? "" : ",", seq);
        }
        take(manager, lines);
        take(manager, fmt::format(R"({{"samples":[{}]}})", samples));
        ASSERT_TRUE(manager.commit());
    }
    const Retention retention{.most_events = 5, .most_samples = 5};
    int calls = 1;
    while (!manager.prune(retention, WallTime{5s}).value()) {
        ++calls;
    }
    EXPECT_GT(calls, 2);
    EXPECT_THAT(manager.store().events({{}, 0, 100}).value(), SizeIs(6)) << "with the open error";
    EXPECT_THAT(manager.store().samples({}).value(), SizeIs(5));
}

}  // namespace
}  // namespace petrel::manager

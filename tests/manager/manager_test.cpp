// The manager stores messages before it applies them: after any death the next one shows the same view.
#include "manager/manager.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"

namespace petrel::manager {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant kNow{1h};

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
        ASSERT_TRUE(manager.take_event(line, {kNow, WallTime{5s}}));
    }

    test::TemporaryFolder folder_;
};

TEST_F(ManagerTest, AnEventIsShownAfterItIsStored)
{
    auto manager = start();
    take(manager, event(1, "storm_detected", 1'000'000));
    EXPECT_THAT(manager.view().storms(kNow), IsEmpty()) << "not stored yet";
    EXPECT_EQ(manager.commit().value(), 1U);
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
        ASSERT_EQ(manager.commit().value(), 5U);
    }
    auto manager = start();
    EXPECT_EQ(manager.view().devices(kNow).at(0), (fabric::ShownDevice{"leaf3", {false, WallTime{5s}}, 0}));
    EXPECT_THAT(manager.view().ports(kNow).at(0).errors, SizeIs(2));
    EXPECT_THAT(manager.view().storms(kNow), SizeIs(1));
    const auto links = manager.view().links(kNow);
    ASSERT_THAT(links, SizeIs(1));
    EXPECT_EQ(links[0].end.history.at(0).up_at, WallTime{3s});
}

TEST_F(ManagerTest, AgentsMayRepeatTheirEvents)
{
    auto manager = start();
    for (int i = 0; i < 2; ++i) {
        take(manager, event(1, "storm_detected", 1'000'000));
        take(manager, event(2, "storm_restored", 2'000'000));
        EXPECT_EQ(manager.commit().value(), i == 0 ? 2U : 0U);
    }
    const auto errors = manager.view().ports(kNow).at(0).errors;
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_EQ(errors[0].times, 1U);
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
        EXPECT_EQ(manager.commit().value(), is_new);
        EXPECT_THAT(manager.view().storms(kNow), SizeIs(1));
    }
}

// The clock of the agent was set back between its events.
TEST_F(ManagerTest, AClockThatIsSetBackIsNoNewCount)
{
    auto manager = start();
    for (int i = 0; i < 2; ++i) {
        take(manager, event(1, "storm_detected", 9'000'000));
        take(manager, event(2, "storm_restored", 2'000'000));
        EXPECT_EQ(manager.commit().value(), i == 0 ? 2U : 0U);
    }
    EXPECT_THAT(manager.view().storms(kNow), IsEmpty());
}

TEST_F(ManagerTest, LinesThatAreNoEventsAreRefused)
{
    auto manager = start();
    for (const auto* line : {"", "x", "{}", R"({"event":"storm_detected"})", R"({"event":"link_up","device":"a"})",
                             R"({"event":"link_up","device":"a","seq":-1})"}) {
        EXPECT_FALSE(manager.take_event(line, {kNow, {}})) << line;
    }
    EXPECT_EQ(manager.commit().value(), 0U);
    EXPECT_THAT(manager.view().devices(kNow), IsEmpty());
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
            static_cast<void>(manager.take_event(event(seq, "storm_detected", 1'000'000), {kNow, {}}));
            static_cast<void>(manager.commit());
        }
        static_cast<void>(manager.take_event(event(51, "storm_restored", 2'000'000), {kNow, {}}));
        ::kill(::getpid(), SIGKILL);  // before the commit
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto storms = start().view().storms(kNow);
    ASSERT_THAT(storms, SizeIs(1));
    EXPECT_EQ(storms[0].error.times, 50U);
}

}  // namespace
}  // namespace petrel::manager

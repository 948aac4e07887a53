// [manager], and [[fault]] of managers and their messages: given and omitted keys, and the complaints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "golden.hpp"

namespace petrel::codec {
namespace {

using namespace scenario;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using topology::NodeId;
using twin::kMs;
using twin::kSecond;

std::string managed_file(std::string_view more)
{
    return "name = \"managed\"\nduration = \"2s\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\n"
           "[[policy]]\npreset = \"sonic\"\n" +
           std::string{more};
}

Scenario read_managed(std::string_view more)
{
    const auto parsed = read_scenario(managed_file(more), "test.toml");
    EXPECT_TRUE(parsed) << golden::lines(parsed ? std::vector<Complaint>{} : parsed.error());
    return parsed.value_or(Scenario{});
}

// The fault of a scenario with two managers.
template <class What>
What read_manager_fault(std::string_view fault)
{
    const auto s = read_managed("[manager]\nmanagers = 2\n[[fault]]\nat = \"1s\"\n" + std::string{fault});
    if (s.manager_faults.size() != 1) {
        ADD_FAILURE() << fault;
        return {};
    }
    EXPECT_EQ(s.manager_faults[0].at, kSecond);
    EXPECT_TRUE(std::holds_alternative<What>(s.manager_faults[0].what)) << fault;
    return std::get<What>(s.manager_faults[0].what);
}

std::string managed_complaint(std::string_view more)
{
    const auto parsed = read_scenario(managed_file(more), "test.toml");
    return parsed ? "none" : to_text(parsed.error().front());
}

TEST(ScenarioManager, DevicesThatNoPolicyNamesHaveAnAgent)
{
    EXPECT_FALSE(read_managed("").manager);
    const auto plain = read_managed("[manager]");
    EXPECT_EQ(plain.manager->faster, 1U);
    EXPECT_EQ(plain.manager->managers, 1U);
    EXPECT_EQ(plain.watches.size(), 1U);
    const auto all = read_managed("[manager]\nfaster = 100\nmanagers = 2\ndevices = \"all\"");
    EXPECT_EQ(all.manager->faster, 100U);
    EXPECT_EQ(all.manager->managers, 2U);
    ASSERT_EQ(all.watches.size(), 3U);
    EXPECT_EQ(all.watches[0].node, NodeId{2});
    EXPECT_THAT(all.watches[0].book.policies, testing::SizeIs(1));
    EXPECT_EQ(all.watches[1].node, NodeId{0});
    EXPECT_THAT(all.watches[1].book.policies, IsEmpty());
}

TEST(ScenarioManager, Messages)
{
    using What = DisturbMessages::What;
    using Which = DisturbMessages::Which;
    const auto all = read_manager_fault<DisturbMessages>("kind = \"lose-messages\"");
    EXPECT_EQ(all.what, What::lose);
    EXPECT_EQ(all.which, Which::both);
    EXPECT_THAT(all.devices, IsEmpty());
    EXPECT_EQ(all.percent, 100U);
    EXPECT_EQ(all.until, twin::kForever);
    const auto some =
        read_manager_fault<DisturbMessages>("kind = \"double-messages\"\nwhich = \"answers\"\ndevice = \"s0\"\n"
                                            "percent = 30\ntakes = \"5ms\"\nseed = 9\nuntil = \"1.5s\"");
    EXPECT_EQ(some.what, What::repeat);
    EXPECT_EQ(some.which, Which::answers);
    EXPECT_THAT(some.devices, ElementsAre(NodeId{2}));
    EXPECT_EQ(some.percent, 30U);
    EXPECT_EQ(some.takes, std::chrono::milliseconds{5});
    EXPECT_EQ(some.seed, 9U);
    EXPECT_EQ(some.until, 1'500 * kMs);
    EXPECT_EQ(
        read_manager_fault<DisturbMessages>("kind = \"delay-messages\"\ntakes = \"5ms\"\nwhich = \"reports\"").which,
        Which::reports);
}

TEST(ScenarioManager, DeathsAndStarts)
{
    using When = KillManager::When;
    using Store = StartManager::Store;
    EXPECT_EQ(read_manager_fault<KillManager>("kind = \"kill-manager\"").when, When::at_once);
    EXPECT_EQ(read_manager_fault<KillManager>("kind = \"kill-manager\"\nstep = \"taken\"").when, When::taken);
    EXPECT_EQ(read_manager_fault<KillManager>("kind = \"kill-manager\"\nstep = \"stored\"\nmanager = 2").when,
              When::stored);
    EXPECT_EQ(read_manager_fault<KillManager>("kind = \"kill-manager\"\nmanager = 2").manager, 1U);
    EXPECT_EQ(read_manager_fault<StartManager>("kind = \"start-manager\"").store, Store::kept);
    EXPECT_EQ(read_manager_fault<StartManager>("kind = \"start-manager\"\nstore = \"lost\"").store, Store::lost);
    const auto copy =
        read_manager_fault<StartManager>("kind = \"start-manager\"\nstore = \"copy\"\ncopied_at = \"900ms\"");
    EXPECT_EQ(copy.store, Store::copy);
    EXPECT_EQ(copy.copied_at, 900 * kMs);
    EXPECT_EQ(read_manager_fault<UseManager>("kind = \"use-manager\"\nmanager = 2").manager, 1U);
}

TEST(ScenarioManager, ComplaintsNameWhatIsAllowed)
{
    const auto fault = [](std::string_view rest) {
        return managed_complaint("[manager]\n[[fault]]\nat = \"1s\"\n" + std::string{rest});
    };
    EXPECT_THAT(managed_complaint("[manager]\nfaster = 0"), HasSubstr("1..1000"));
    EXPECT_THAT(managed_complaint("[[fault]]\nat = \"1s\"\nkind = \"kill-manager\""), HasSubstr("without [manager]"));
    EXPECT_THAT(fault("kind = \"kill-manager\"\nmanager = 2"), HasSubstr("1..1"));
    EXPECT_THAT(fault("kind = \"use-manager\""), HasSubstr("the number of a manager"));
    EXPECT_THAT(fault("kind = \"start-manager\"\nstore = \"copy\""), HasSubstr("copied_at"));
    EXPECT_THAT(fault("kind = \"start-manager\"\nstore = \"copy\"\ncopied_at = \"1s\""), HasSubstr("before `at`"));
    EXPECT_THAT(fault("kind = \"start-manager\"\ncopied_at = \"1s\""), HasSubstr("only with store"));
    EXPECT_THAT(fault("kind = \"lose-messages\"\nuntil = \"1s\""), HasSubstr("after `at`"));
    EXPECT_THAT(fault("kind = \"delay-messages\""), HasSubstr("takes"));
    EXPECT_THAT(managed_complaint("[[expect]]\nkind = \"manager\"\nerrors = 0"), HasSubstr("without [manager]"));
}

TEST(ScenarioManager, Expectations)
{
    using What = ManagerExpected::What;
    const auto s = read_managed("[manager]\n[[expect]]\nkind = \"manager\"\nport = \"s0:Ethernet1\"\npriorities = 3\n"
                                "device = \"s0\"\nerrors = 1\nopened_at = \"6s..7s\"\nmissing = 0\nunknown = 0");
    ASSERT_EQ(s.expectations.size(), 4U);
    const auto& first = std::get<ManagerExpected>(s.expectations[0].quantity);
    EXPECT_EQ(first.what, What::errors);
    EXPECT_EQ(first.port, (topology::End{NodeId{2}, 1}));
    EXPECT_EQ(first.priorities, 8);
    EXPECT_THAT(first.devices, ElementsAre(NodeId{2}));
    EXPECT_EQ(s.expectations[1].unit, Unit::time);
    EXPECT_TRUE(s.expectations[1].range.contains(6.5 * kSecond));
    EXPECT_EQ(std::get<ManagerExpected>(s.expectations[2].quantity).what, What::missing);
    EXPECT_EQ(std::get<ManagerExpected>(s.expectations[3].quantity).what, What::unknown);
}

}  // namespace
}  // namespace petrel::codec

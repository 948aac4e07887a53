// What pfcstat stores between two calls, and what it shows for counters that are missing or were reset.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "sonic_tools/saved_counters.hpp"
#include "sonic_tools/transcript.hpp"

namespace petrel::sonic_tools {
namespace {

using sonic::Db;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto kFirstPort = "COUNTERS:oid:0x1000000000001";

void count(Bench& bench, const std::string& field, const std::string& value)
{
    auto counters = bench.hash(Db::counters, kFirstPort);
    counters[field] = value;
    bench.set(Db::counters, kFirstPort, counters);
}

TEST(Pfcstat, ShowsCountsSinceTheClear)
{
    PETREL_NEEDS_REDIS();
    Bench bench;
    const auto before = bench.run("pfcstat");
    EXPECT_EQ(bench.run("pfcstat -c"), (Outcome{"Clear saved PFC counters and history\n", "", 0}));
    count(bench, "SAI_PORT_STAT_PFC_3_RX_PKTS", "1234570");
    count(bench, "SAI_PORT_STAT_PFC_4_RX_PKTS", "7");  // less than before: the counter was reset; SONiC's tool shows 0
    const auto after = bench.run("pfcstat");
    EXPECT_THAT(after.out, StartsWith("Last cached time was 2027-01-15T"));
    EXPECT_THAT(after.out,
                HasSubstr("\nEthernet0       0       0       0  1,233,567       7       0       0       0\n"));
    EXPECT_THAT(after.out,
                HasSubstr("\nEthernet4       0       0       0          0       0       0       0       0\n"));

    const auto again = bench.run("pfcstat -d");
    EXPECT_THAT(again.out, Not(HasSubstr("Last cached")));
    EXPECT_THAT(again.out, HasSubstr("1,234,570"));
    count(bench, "SAI_PORT_STAT_PFC_3_RX_PKTS", "1003");
    count(bench, "SAI_PORT_STAT_PFC_4_RX_PKTS", "1004");
    EXPECT_EQ(bench.run("pfcstat"), before);
}

TEST(Pfcstat, HasAHistoryOfPauses)
{
    PETREL_NEEDS_REDIS();
    Bench bench;
    count(bench, "SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS", "6");
    count(bench, "EST_PORT_STAT_PFC_3_ON2OFF_RX_PKTS", "99");  // an estimate; the switch's own counter is used
    count(bench, "EST_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US", "1430570");
    count(bench, "EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIME_US", "527739");
    count(bench, "EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIMESTAMP", "1742923357982800");
    const auto row = [&] {
        const auto text = bench.run("pfcstat --history").out;
        const auto at = text.find("\nEthernet0        PFC3");
        return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    };
    EXPECT_THAT(row(), HasSubstr("   6                 1,430,570                    527,739         03/2"));
    bench.run("pfcstat -c");
    count(bench, "EST_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US", "1430600");
    EXPECT_THAT(row(), HasSubstr("   0                        30                    527,739         03/2"));
    count(bench, "EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIMESTAMP", "1742923357982800.0");
    EXPECT_THAT(row(), HasSubstr("527,739         03/2")) << "scripts of Redis write such numbers";
    count(bench, "SAI_PORT_STAT_PFC_5_ON2OFF_RX_PKTS", "8");
    EXPECT_THAT(bench.run("pfcstat --history").out, HasSubstr("Ethernet0        PFC5                       8 "))
        << "the counter did not exist when the others were cleared";
}

TEST(Pfcstat, ShowsInternalPortsOnRequest)
{
    PETREL_NEEDS_REDIS();
    Bench bench;
    EXPECT_THAT(bench.run("pfcstat").out, Not(HasSubstr("PortChannel1")));
    EXPECT_THAT(bench.run("pfcstat -s all").out, HasSubstr("\nPortChannel1     N/A     N/A"));
}

TEST(SavedCounters, AnInvalidFileIsIgnored)
{
    const test::TemporaryFolder folder;
    EXPECT_FALSE(load(folder.path()));
    SavedCounters saved{"now", {}};
    saved.counts["rx Ethernet0"].fill("1");
    ASSERT_TRUE(save(folder.path(), saved));
    EXPECT_EQ(load(folder.path())->counts, saved.counts);
    std::ofstream{folder / "pfcstat", std::ios::app} << "rx Ethernet4 1 2 3\n";
    EXPECT_FALSE(load(folder.path()));
    forget(folder.path());
    EXPECT_FALSE(load(folder.path()));
}

TEST(SavedCounters, DoNotCreateAHome)
{
    const SavedCounters saved{"now", {}};
    const test::TemporaryFolder folder;
    const auto home = folder / "home";
    EXPECT_EQ(save(home / ".cache/petrel", saved).error().what,
              fmt::format("cannot make {}/.cache: No such file or directory", home.string()));
    EXPECT_FALSE(std::filesystem::exists(home));
    std::filesystem::create_directory(home);
    EXPECT_TRUE(save(home / ".cache/petrel", saved)) << "missing folders below the home are created";
}

TEST(SavedCounters, ALinkIsNotWrittenThroughAndAFifoIsNotWaitedFor)
{
    const test::TemporaryFolder folder;
    std::ofstream{folder / "victim"} << "mine";
    for (const auto* name : {"pfcstat", "pfcstat.new", "pfcstat.tmp"}) {
        std::filesystem::create_symlink(folder / "victim", folder / name);
    }
    ASSERT_TRUE(save(folder.path(), {"now", {}}));
    std::string text;
    std::ifstream{folder / "victim"} >> text;
    EXPECT_EQ(text, "mine");
    std::filesystem::remove(folder / "pfcstat");
    ASSERT_EQ(::mkfifo((folder / "pfcstat").c_str(), 0600), 0);
    EXPECT_FALSE(load(folder.path()));
}

TEST(SavedCounters, WithoutAFolderThereAreNone)
{
    const SavedCounters saved{"now", {}};
    EXPECT_EQ(save("", saved).error().what,
              "there is no folder for them: this user has no home; XDG_CACHE_HOME can name a folder");
    const test::TemporaryFolder here;
    ASSERT_TRUE(save(here.path(), saved));
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(here.path());
    EXPECT_FALSE(load(""));
    forget("");
    std::filesystem::current_path(before);
    EXPECT_TRUE(load(here.path())) << "other files in the folder are ignored";
}

TEST(SavedCounters, AFailedWriteIsReportedWithTheReason)
{
    const SavedCounters saved{"now", {}};
    EXPECT_EQ(save("/proc/nowhere", saved).error().what, "cannot make /proc/nowhere: No such file or directory");
    const test::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "pfcstat");
    EXPECT_THAT(save(folder.path(), saved).error().what, HasSubstr((folder / "pfcstat").string()));
}

}  // namespace
}  // namespace petrel::sonic_tools
